import type { BilledWorkOrder, DetectionSubject } from './facts.js';

/** Minimum number of similar work orders for a comparison; fewer allow no conclusion. */
export const MIN_SAMPLES = 8;
/**
 * Minimum number of work orders of the same company type for a detector that measures a spread. If
 * there are fewer, the detector compares with all work orders, because a spread estimated from few
 * values is unreliable.
 */
export const MIN_SPREAD_SAMPLES = 20;
/** Only this many of the newest work orders count, because habits and prices change. */
const MAX_SAMPLES = 50;

export interface Cohort {
  jobs: readonly BilledWorkOrder[];
  /** For example `light_duty_tow jobs for motor_club accounts`. */
  name: string;
}

/**
 * Returns the work orders to compare with. If at least `enough` similar work orders belong to
 * customers of the same company type, returns only those. Otherwise returns the similar work orders
 * of all customers. Returns undefined if there are fewer than {@link MIN_SAMPLES} in total.
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
 * The lower bounds of the mileage bands. The first miles of a tow are often free, so only work
 * orders in the same band are comparable.
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
