import { formatCount } from '../../../billing/phrases.js';
import type { DetectorName, Thresholds } from './catalogue.js';
import { MIN_SPREAD_SAMPLES, selectCohort } from './cohort.js';
import { type BilledWorkOrder, type DetectionSubject, findLineItems, sumTotals } from './facts.js';
import type { SuggestionDraft } from './kinds.js';
import { computeAnomalyConfidence, computeRobustZ, formatRatio, median } from './statistics.js';

interface Measure {
  detector: DetectorName;
  title: string;
  read: (job: BilledWorkOrder) => number | null;
  format: (value: number) => string;
  /** Returns the amount in cents that may be billed wrongly if the value is wrong. */
  amountAtStakeCents: (job: BilledWorkOrder) => number;
}

const sumMileage = (job: BilledWorkOrder) => sumTotals(findLineItems(job, 'mileage'));

export const MEASURES: readonly Measure[] = [
  {
    detector: 'anomaly_miles',
    title: 'The miles are unusual',
    read: (job) => job.miles,
    format: (miles) => formatCount(Math.round(miles * 10) / 10, 'mile'),
    amountAtStakeCents: (job) => Math.max(0, sumMileage(job)),
  },
  {
    detector: 'anomaly_duration',
    title: 'The duration is unusual',
    read: (job) => job.minutes,
    format: (minutes) => formatCount(Math.round(minutes), 'minute'),
    amountAtStakeCents: () => 0,
  },
];

/**
 * Finds a value that is far from the account's median for the service. The distance is a robust
 * z-score, which uses the median absolute deviation.
 */
export function findAnomaly(
  measure: Measure,
  subject: DetectionSubject,
  thresholds: Thresholds,
): SuggestionDraft | undefined {
  const { job } = subject;
  const value = measure.read(job);
  if (value === null || value <= 0 || job.work_order_id === null) return undefined;
  const cohort = selectCohort(subject, (other) => (measure.read(other) ?? 0) > 0, MIN_SPREAD_SAMPLES);
  if (!cohort) return undefined;
  const values = cohort.jobs.map((other) => measure.read(other) as number);
  const z = computeRobustZ(value, values);
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
    rationale: `${measure.format(value)} is ${formatRatio(value, typical)} the median of ${measure.format(typical)} over ${values.length} ${cohort.name} in the last 180 days (robust z ${z.toFixed(1)}).`,
    amount_cents: measure.amountAtStakeCents(job),
    confidence: computeAnomalyConfidence(z),
    proposed_lines: [],
  };
}
