import type { SuggestionDraft } from '../kinds.js';
import { dollars } from '../phrases.js';
import type { Thresholds } from './catalogue.js';
import { cohortOf, SPREAD_SAMPLES } from './cohort.js';
import { type BilledJob, linesOf, type Subject, totalOf } from './facts.js';
import { confidenceOf, median, robustZ, timesOf } from './statistics.js';

/** Units of which a job has as many as it has; a flat charge is there or not. */
const MEASURED = ['mile', 'hour', 'quarter_hour', 'day', 'gallon'];
/** Charges that fewer jobs have had no usual price. */
const FEWEST_PRICES = 3;

/** What charges usually come to. */
type Prices = (job: BilledJob, category: string) => number;

/**
 * An amount far from what the account usually charges for the same things. A total alone tells little: it follows the miles, the hour and the days of storage,
 * which are no mistakes. So each charge is taken at its median price, and what is compared is how far the total is from their sum.
 */
export function findUnusualAmount(subject: Subject, thresholds: Thresholds): SuggestionDraft | undefined {
  const { job } = subject;
  const cohort = cohortOf(subject, ({ subtotal_cents: cents }) => cents > 0, SPREAD_SAMPLES);
  if (!cohort || job.subtotal_cents <= 0) return undefined;
  const prices = pricesOf(cohort.jobs);
  const usual = usualAmount(job, prices);
  const ratios = cohort.jobs.map((other) => other.subtotal_cents / usualAmount(other, prices));
  if (usual <= 0 || ratios.some((ratio) => !(ratio > 0 && Number.isFinite(ratio)))) return undefined;
  const z = robustZ(job.subtotal_cents / usual, ratios);
  if (Math.abs(z) < thresholds.anomaly_amount) return undefined;
  return {
    kind: 'anomaly',
    detector: 'anomaly_amount',
    entity_type: 'invoice',
    entity_id: job.invoice_id,
    occasion: '',
    invoice_id: job.invoice_id,
    title: 'The amount is unusual',
    rationale: `${dollars(job.subtotal_cents)} is ${timesOf(job.subtotal_cents, usual)} the ${dollars(Math.round(usual))} that its charges come to at the median prices of ${cohort.jobs.length} ${cohort.name} in the last 180 days (robust z ${z.toFixed(1)}).`,
    amount_cents: Math.abs(job.subtotal_cents - Math.round(usual)),
    confidence: confidenceOf(z),
    proposed_lines: [],
  };
}

function categoriesOf(job: BilledJob): string[] {
  return [...new Set(job.lines.map(({ category }) => category))];
}

function usualAmount(job: BilledJob, prices: Prices): number {
  return categoriesOf(job).reduce((sum, category) => sum + prices(job, category), 0);
}

/** The unit of a charge that is measured in one unit throughout. */
function unitOf(job: BilledJob, category: string): string | undefined {
  const units = [...new Set(linesOf(job, category).map((line) => line.unit_type))];
  return units.length === 1 && MEASURED.includes(units[0] as string) ? units[0] : undefined;
}

/** Looks up what a charge usually comes to; one without a usual price is taken as it is. */
function pricesOf(jobs: readonly BilledJob[]): Prices {
  const known = new Map<string, number[]>();
  for (const job of jobs) {
    for (const category of categoriesOf(job)) {
      const key = `${category}/${unitOf(job, category) ?? 'flat'}`;
      known.set(key, [...(known.get(key) ?? []), priceOf(job, category)]);
    }
  }
  const usual = new Map(
    [...known].filter(([, all]) => all.length >= FEWEST_PRICES).map(([key, all]) => [key, median(all)]),
  );
  return (job, category) => {
    const unit = unitOf(job, category);
    const price = usual.get(`${category}/${unit ?? 'flat'}`);
    if (price === undefined || price <= 0) return totalOf(linesOf(job, category));
    return unit ? price * quantityOf(job, category) : price;
  };
}

/** Of one unit, or of the whole flat charge. */
function priceOf(job: BilledJob, category: string): number {
  const total = totalOf(linesOf(job, category));
  return unitOf(job, category) ? total / quantityOf(job, category) : total;
}

function quantityOf(job: BilledJob, category: string): number {
  return linesOf(job, category).reduce((sum, line) => sum + line.quantity, 0);
}
