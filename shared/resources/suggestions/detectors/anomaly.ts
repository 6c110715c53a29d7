import type { SuggestionDraft } from '../kinds.js';
import { counted, dollars } from '../phrases.js';
import type { DetectorName, Thresholds } from './catalogue.js';
import { bandOf, type Cohort, cohortOf, isInBand, MIN_SAMPLES } from './cohort.js';
import { type BilledJob, linesOf, type Subject, totalOf } from './facts.js';
import { median, robustZ, toTwoDecimals } from './statistics.js';

/** A measure of a job that may be far from what it is for others. */
interface Measure {
  detector: DetectorName;
  title: string;
  of: (job: BilledJob) => number | null;
  print: (value: number) => string;
  /** Jobs to compare with; the first that are enough. */
  alike: (job: BilledJob) => readonly ((other: BilledJob) => boolean)[];
  /** What it is about, and what is at stake there. */
  about: 'invoice' | 'work_order';
  atStake: (job: BilledJob, typical: number) => number;
}

const everyJob = () => true;
const mileageOf = (job: BilledJob) => totalOf(linesOf(job, 'mileage'));

export const MEASURES: readonly Measure[] = [
  {
    detector: 'anomaly_amount',
    title: 'The amount is unusual',
    of: (job) => job.subtotal_cents,
    print: dollars,
    // A long way costs more: that alone is no anomaly.
    alike: ({ miles }) => (miles === null ? [everyJob] : [isInBand(bandOf(miles)), everyJob]),
    about: 'invoice',
    atStake: (job, typical) => Math.abs(job.subtotal_cents - Math.round(typical)),
  },
  {
    detector: 'anomaly_miles',
    title: 'The miles are unusual',
    of: (job) => job.miles,
    print: (miles) => counted(Math.round(miles * 10) / 10, 'mile'),
    alike: () => [everyJob],
    about: 'work_order',
    atStake: (job) => Math.max(0, mileageOf(job)),
  },
  {
    detector: 'anomaly_duration',
    title: 'The duration is unusual',
    of: (job) => job.minutes,
    print: (minutes) => counted(Math.round(minutes), 'minute'),
    alike: () => [everyJob],
    about: 'work_order',
    atStake: () => 0,
  },
];

/** A value far from the account's own median for the service, by median absolute deviation. */
export function findAnomaly(
  measure: Measure,
  subject: Subject,
  thresholds: Thresholds,
): SuggestionDraft | undefined {
  const { job } = subject;
  const value = measure.of(job);
  const entityId = measure.about === 'invoice' ? job.invoice_id : job.work_order_id;
  if (value === null || value <= 0 || entityId === null) return undefined;
  const found = findCohort(measure, subject);
  if (!found) return undefined;
  const z = robustZ(value, found.values);
  if (Math.abs(z) < thresholds[measure.detector]) return undefined;
  const typical = median(found.values);
  return {
    kind: 'anomaly',
    detector: measure.detector,
    entity_type: measure.about,
    entity_id: entityId,
    occasion: '',
    invoice_id: job.invoice_id,
    title: measure.title,
    rationale: `${measure.print(value)} is ${timesOf(value, typical)} the median of ${measure.print(typical)} over ${found.values.length} ${found.cohort.name} in the last 180 days (robust z ${z.toFixed(1)}).`,
    amount_cents: measure.atStake(job, typical),
    confidence: confidenceOf(z),
    proposed_lines: [],
  };
}

function findCohort(measure: Measure, subject: Subject): { cohort: Cohort; values: number[] } | undefined {
  for (const isAlike of measure.alike(subject.job)) {
    const cohort = cohortOf(subject, (other) => (measure.of(other) ?? 0) > 0 && isAlike(other));
    const values = (cohort?.jobs ?? []).map((other) => measure.of(other) as number);
    if (cohort && values.length >= MIN_SAMPLES) return { cohort, values };
  }
  return undefined;
}

/** `4.1 times`, `0.2 times` */
function timesOf(value: number, typical: number): string {
  return `${(value / typical).toFixed(value < typical ? 2 : 1)} times`;
}

/** Grows with the distance, 0.5 at z 3.5. It ranks suggestions and is no probability. */
function confidenceOf(z: number): number {
  const distance = Math.abs(z);
  return Math.min(0.99, toTwoDecimals(distance / (distance + 3.5)));
}
