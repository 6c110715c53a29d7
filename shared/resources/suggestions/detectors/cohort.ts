import type { BilledWorkOrder, DetectionSubject } from './facts.js';

/** Fewer work orders than this allow no conclusion. */
export const MIN_SAMPLES = 8;
/**
 * Customers of the same company type are compared separately from this many work orders on. A
 * spread needs 20 values, because a few hide it; a habit needs only 8.
 */
export const MIN_SPREAD_SAMPLES = 20;
/** Only the newest work orders count, because habits and prices change. */
const MAX_SAMPLES = 50;

export interface Cohort {
  jobs: readonly BilledWorkOrder[];
  /** The name reads like `light_duty_tow jobs for motor_club accounts`. */
  name: string;
}

/**
 * Prefers customers of the same company type, if they have `enough` similar work orders. Returns
 * undefined when even all customers have too few.
 */
export function selectCohort(
  { job, history }: DetectionSubject,
  isAlike: (other: BilledWorkOrder) => boolean,
  enough = MIN_SAMPLES,
): Cohort | undefined {
  const alike = history.filter((other) => other.invoice_id !== job.invoice_id && isAlike(other));
  const sameCustomers = alike.filter((other) => other.company_type === job.company_type);
  const name = `${job.service_type} jobs`;
  if (sameCustomers.length >= enough && job.company_type !== null)
    return { jobs: sameCustomers.slice(0, MAX_SAMPLES), name: `${name} for ${job.company_type} accounts` };
  return alike.length >= MIN_SAMPLES ? { jobs: alike.slice(0, MAX_SAMPLES), name } : undefined;
}

/**
 * The bounds are miles. Miles are free up to some distance, so only work orders within a band are
 * similar.
 */
const BANDS = [0, 5, 10, 25, 50, 100] as const;

export function findMileageBand(miles: number | null): { from: number; to: number | undefined } | undefined {
  if (miles === null) return undefined;
  const index = BANDS.findLastIndex((bound) => miles >= bound);
  return index < 0 ? undefined : { from: BANDS[index] as number, to: BANDS[index + 1] };
}

export function isInMileageBand(band: ReturnType<typeof findMileageBand>): (job: BilledWorkOrder) => boolean {
  return ({ miles }) => findMileageBand(miles)?.from === band?.from;
}
