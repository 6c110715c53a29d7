import type { BilledJob, Subject } from './facts.js';

/** Fewer jobs than this say nothing. */
export const MIN_SAMPLES = 8;
/** Customers of one kind are set apart for a habit from 8 jobs on, for a spread, which few jobs hide, from 20. */
export const SPREAD_SAMPLES = 20;
/** The newest ones count: habits and prices change. */
const MAX_SAMPLES = 50;

/** The jobs that one is compared with, and how they are called. */
export interface Cohort {
  jobs: readonly BilledJob[];
  /** `light_duty_tow jobs for motor_club accounts` */
  name: string;
}

/**
 * Jobs of the same service that are alike, of the same kind of customer where there are enough of them; undefined when even all are too few.
 * @param isAlike what else must be the same
 * @param enough how many of one kind of customer are enough
 */
export function cohortOf(
  { job, history }: Subject,
  isAlike: (other: BilledJob) => boolean,
  enough = MIN_SAMPLES,
): Cohort | undefined {
  const alike = history.filter((other) => other.invoice_id !== job.invoice_id && isAlike(other));
  const sameCustomers = alike.filter((other) => other.company_type === job.company_type);
  const name = `${job.service_type} jobs`;
  if (sameCustomers.length >= enough && job.company_type !== null)
    return { jobs: sameCustomers.slice(0, MAX_SAMPLES), name: `${name} for ${job.company_type} accounts` };
  return alike.length >= MIN_SAMPLES ? { jobs: alike.slice(0, MAX_SAMPLES), name } : undefined;
}

/** Bounds of the bands in which distances are alike: free miles end somewhere. */
const BANDS = [0, 5, 10, 25, 50, 100] as const;

/** The band of a distance; undefined when it is not known. */
export function bandOf(miles: number | null): { from: number; to: number | undefined } | undefined {
  if (miles === null) return undefined;
  const index = BANDS.findLastIndex((bound) => miles >= bound);
  return index < 0 ? undefined : { from: BANDS[index] as number, to: BANDS[index + 1] };
}

export function isInBand(band: ReturnType<typeof bandOf>): (job: BilledJob) => boolean {
  return ({ miles }) => bandOf(miles)?.from === band?.from;
}
