import { formatDollars } from '../../../billing/phrases.js';
import type { Thresholds } from './catalogue.js';
import { MIN_SPREAD_SAMPLES, selectCohort } from './cohort.js';
import { type BilledWorkOrder, type DetectionSubject, findLineItems, sumTotals } from './facts.js';
import type { SuggestionDraft } from './kinds.js';
import { computeAnomalyConfidence, computeRobustZ, formatRatio, median } from './statistics.js';

/**
 * A work order may have any number of these units, such as 12 miles. A charge in any other unit is
 * flat: it applies once or not at all.
 */
const MEASURED_UNITS = ['mile', 'hour', 'quarter_hour', 'day', 'gallon'];
/**
 * The median price of a charge is taken as its usual price only if at least this many invoices have
 * the charge.
 */
const MIN_PRICES = 3;

type PriceLookup = (job: BilledWorkOrder, category: string) => number;

/**
 * Checks whether the invoice of `subject` is unusually high or low. Divides the invoice's subtotal
 * by the sum of its charges at the account's median prices. Compares this ratio with the ratios of
 * similar work orders. Subtotals alone are not comparable, because they grow with miles, hours and
 * days of storage.
 */
export function findUnusualAmount(
  subject: DetectionSubject,
  thresholds: Thresholds,
): SuggestionDraft | undefined {
  const { job } = subject;
  const cohort = selectCohort(subject, ({ subtotal_cents: cents }) => cents > 0, MIN_SPREAD_SAMPLES);
  if (!cohort || job.subtotal_cents <= 0) return undefined;
  const prices = collectUsualPrices(cohort.jobs);
  const usual = sumUsualAmount(job, prices);
  const ratios = cohort.jobs.map((other) => other.subtotal_cents / sumUsualAmount(other, prices));
  if (usual <= 0 || ratios.some((ratio) => !(ratio > 0 && Number.isFinite(ratio)))) return undefined;
  const z = computeRobustZ(job.subtotal_cents / usual, ratios);
  if (Math.abs(z) < thresholds.anomaly_amount) return undefined;
  return {
    kind: 'anomaly',
    detector: 'anomaly_amount',
    entity_type: 'invoice',
    entity_id: job.invoice_id,
    occasion: '',
    invoice_id: job.invoice_id,
    title: 'The amount is unusual',
    rationale: `${formatDollars(job.subtotal_cents)} is ${formatRatio(job.subtotal_cents, usual)} the ${formatDollars(Math.round(usual))} that its charges come to at the median prices of ${cohort.jobs.length} ${cohort.name} in the last 180 days (robust z ${z.toFixed(1)}).`,
    amount_cents: Math.abs(job.subtotal_cents - Math.round(usual)),
    confidence: computeAnomalyConfidence(z),
    proposed_lines: [],
  };
}

function listCategories(job: BilledWorkOrder): string[] {
  return [...new Set(job.lines.map(({ category }) => category))];
}

function sumUsualAmount(job: BilledWorkOrder, prices: PriceLookup): number {
  return listCategories(job).reduce((sum, category) => sum + prices(job, category), 0);
}

/**
 * Returns the measured unit of a charge; undefined if the charge is flat, or its line items have
 * different units.
 */
function findUnit(job: BilledWorkOrder, category: string): string | undefined {
  const units = [...new Set(findLineItems(job, category).map((line) => line.unit_type))];
  return units.length === 1 && MEASURED_UNITS.includes(units[0] as string) ? units[0] : undefined;
}

/**
 * Returns a function that calculates what a charge usually costs. A charge without a usual price
 * counts at its own amount.
 */
function collectUsualPrices(jobs: readonly BilledWorkOrder[]): PriceLookup {
  const known = new Map<string, number[]>();
  for (const job of jobs) {
    for (const category of listCategories(job)) {
      const key = `${category}/${findUnit(job, category) ?? 'flat'}`;
      known.set(key, [...(known.get(key) ?? []), computePrice(job, category)]);
    }
  }
  const usual = new Map(
    [...known].filter(([, all]) => all.length >= MIN_PRICES).map(([key, all]) => [key, median(all)]),
  );
  return (job, category) => {
    const unit = findUnit(job, category);
    const price = usual.get(`${category}/${unit ?? 'flat'}`);
    if (price === undefined || price <= 0) return sumTotals(findLineItems(job, category));
    return unit ? price * sumQuantity(job, category) : price;
  };
}

function computePrice(job: BilledWorkOrder, category: string): number {
  const total = sumTotals(findLineItems(job, category));
  return findUnit(job, category) ? total / sumQuantity(job, category) : total;
}

function sumQuantity(job: BilledWorkOrder, category: string): number {
  return findLineItems(job, category).reduce((sum, line) => sum + line.quantity, 0);
}
