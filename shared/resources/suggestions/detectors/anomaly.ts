import type { SuggestionDraft } from '../kinds.js';
import { counted } from '../phrases.js';
import type { DetectorName, Thresholds } from './catalogue.js';
import { cohortOf, SPREAD_SAMPLES } from './cohort.js';
import { type BilledJob, linesOf, type Subject, totalOf } from './facts.js';
import { confidenceOf, median, robustZ, timesOf } from './statistics.js';

/** A measure of a work order that may be far from that of others. */
interface Measure {
  detector: DetectorName;
  title: string;
  of: (job: BilledJob) => number | null;
  print: (value: number) => string;
  /** The amount that may be wrongly billed because of it, in cents. */
  atStake: (job: BilledJob) => number;
}

const sumMileage = (job: BilledJob) => totalOf(linesOf(job, 'mileage'));

export const MEASURES: readonly Measure[] = [
  {
    detector: 'anomaly_miles',
    title: 'The miles are unusual',
    of: (job) => job.miles,
    print: (miles) => counted(Math.round(miles * 10) / 10, 'mile'),
    atStake: (job) => Math.max(0, sumMileage(job)),
  },
  {
    detector: 'anomaly_duration',
    title: 'The duration is unusual',
    of: (job) => job.minutes,
    print: (minutes) => counted(Math.round(minutes), 'minute'),
    atStake: () => 0,
  },
];

/** Finds a value far from the account's median for the service, by median absolute deviation. */
export function findAnomaly(
  measure: Measure,
  subject: Subject,
  thresholds: Thresholds,
): SuggestionDraft | undefined {
  const { job } = subject;
  const value = measure.of(job);
  if (value === null || value <= 0 || job.work_order_id === null) return undefined;
  const cohort = cohortOf(subject, (other) => (measure.of(other) ?? 0) > 0, SPREAD_SAMPLES);
  if (!cohort) return undefined;
  const values = cohort.jobs.map((other) => measure.of(other) as number);
  const z = robustZ(value, values);
  if (Math.abs(z) < thresholds[measure.detector]) return undefined;
  const typical = median(values);
  return {
    kind: 'anomaly',
    detector: measure.detector,
    entity_type: 'work_order',
    entity_id: job.work_order_id,
    occasion: '',
    invoice_id: job.invoice_id,
    title: measure.title,
    rationale: `${measure.print(value)} is ${timesOf(value, typical)} the median of ${measure.print(typical)} over ${values.length} ${cohort.name} in the last 180 days (robust z ${z.toFixed(1)}).`,
    amount_cents: measure.atStake(job),
    confidence: confidenceOf(z),
    proposed_lines: [],
  };
}
