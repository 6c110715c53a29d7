import { formatDollars } from '../../../billing/phrases.js';
import type { ProposedLine } from '../../../contracts/generated.js';
import type { DetectorName, Thresholds } from './catalogue.js';
import { type Cohort, findMileageBand, isInMileageBand, selectCohort } from './cohort.js';
import {
  type BilledLineItem,
  type BilledWorkOrder,
  type DetectionSubject,
  findLineItems,
  readDrivenMiles,
  sumTotals,
} from './facts.js';
import type { SuggestionDraft } from './kinds.js';
import { estimateLikelihood, median, toTwoDecimals } from './statistics.js';

/** A fee that is usual for a certain group of work orders. */
interface FeeRule {
  detector: DetectorName;
  category: string;
  /** The fee's name within a sentence: `mileage`. */
  fee: string;
  /**
   * The fee's unit, and a function that returns how many units a work order had. Absent for a flat
   * fee.
   */
  measure?: { unit: string; of: (job: BilledWorkOrder) => number | null };
  /**
   * Returns the group of work orders like `job`; undefined if the fee does not apply to `job`.
   * `phrase` describes the group in a sentence.
   */
  matchGroup: (
    job: BilledWorkOrder,
  ) => { isAlike: (other: BilledWorkOrder) => boolean; phrase: string } | undefined;
}

const MINIMUM_MILES = 5;
/** Some drivers report no miles. Then the positions of the truck say how far it was. */
const readMiles = (job: BilledWorkOrder) => job.miles ?? readDrivenMiles(job);
/** A vehicle towed by one of these services is stored in the yard. */
const STORED_SERVICES = ['impound_tow', 'private_property_tow'];
const OFF_HOURS_PHRASES = {
  evening: ' dispatched in the evening',
  night: ' dispatched at night',
  weekend: ' dispatched on a weekend',
} as const;

export const FEE_RULES: readonly FeeRule[] = [
  {
    detector: 'missed_mileage',
    category: 'mileage',
    fee: 'mileage',
    measure: { unit: 'mile', of: readMiles },
    matchGroup: (job) => {
      const band = findMileageBand(readMiles(job));
      if (!band || band.from < MINIMUM_MILES) return undefined;
      const phrase = band.to ? ` of ${band.from} to ${band.to} miles` : ` of ${band.from} miles or more`;
      return { isAlike: isInMileageBand(band), phrase };
    },
  },
  {
    detector: 'missed_after_hours',
    category: 'after_hours',
    fee: 'after hours',
    matchGroup: ({ off_hours: offHours }) =>
      offHours
        ? { isAlike: (other) => other.off_hours === offHours, phrase: OFF_HOURS_PHRASES[offHours] }
        : undefined,
  },
  {
    detector: 'missed_winching',
    category: 'winching',
    fee: 'winching',
    matchGroup: ({ mentions_winch: mentioned }) => ({
      isAlike: (other) => other.mentions_winch === mentioned,
      phrase: mentioned ? ' whose notes mention winching' : '',
    }),
  },
  {
    detector: 'missed_storage',
    category: 'storage',
    fee: 'storage',
    measure: { unit: 'day', of: ({ held_days: days }) => days },
    matchGroup: ({ service_type: service, held_days: days }) =>
      STORED_SERVICES.includes(service ?? '') && (days ?? 0) >= 1
        ? { isAlike: (other) => (other.held_days ?? 0) >= 1, phrase: ' kept for a day or more' }
        : undefined,
  },
  {
    detector: 'missed_fuel_surcharge',
    category: 'fuel_surcharge',
    fee: 'a fuel surcharge',
    matchGroup: () => ({ isAlike: () => true, phrase: '' }),
  },
];

/**
 * Finds a fee that comparable work orders were charged, but that this work order was not charged.
 */
export function findMissedFee(
  rule: FeeRule,
  subject: DetectionSubject,
  thresholds: Thresholds,
): SuggestionDraft | undefined {
  const { job } = subject;
  // An invoice without line items is still being written, so it has missed no fee yet.
  if (job.lines.length === 0 || findLineItems(job, rule.category).length > 0) return undefined;
  // If another invoice of the work order has the fee, the fee was not missed.
  if (job.billed_elsewhere.includes(rule.category)) return undefined;
  // The storage of an impound follows its own rules, see findUnbilledStorage.
  if (rule.category === 'storage' && subject.impound) return undefined;
  const sort = rule.matchGroup(job);
  const cohort = sort && selectCohort(subject, sort.isAlike);
  if (!sort || !cohort) return undefined;
  const billed = cohort.jobs.filter((other) => sumTotals(findLineItems(other, rule.category)) > 0);
  const confidence = toTwoDecimals(estimateLikelihood(billed.length, cohort.jobs.length));
  if (confidence < thresholds[rule.detector]) return undefined;
  const line = proposeLine(rule, job, billed);
  if (!line) return undefined;
  return {
    kind: 'missed_fee',
    detector: rule.detector,
    entity_type: 'invoice',
    entity_id: job.invoice_id,
    occasion: '',
    invoice_id: job.invoice_id,
    title: `${rule.fee.replace(/^an? /, '').replace(/^./, (first) => first.toUpperCase())} was not billed`,
    rationale: buildRationale(rule, { billed, cohort, phrase: sort.phrase }),
    amount_cents: line.total_cents,
    confidence,
    proposed_lines: [line],
  };
}

function buildRationale(
  { fee, category }: FeeRule,
  { billed, cohort, phrase }: { billed: BilledWorkOrder[]; cohort: Cohort; phrase: string },
): string {
  const typical = Math.round(median(billed.map((job) => sumTotals(findLineItems(job, category)))));
  return `${billed.length} of ${cohort.jobs.length} comparable ${cohort.name}${phrase} were billed ${fee}, median ${formatDollars(typical)}; this one was not.`;
}

/**
 * Returns the line item to propose, with the name, unit and price that this account usually
 * charges. Returns undefined if all units of the work order are free.
 */
function proposeLine(
  rule: FeeRule,
  job: BilledWorkOrder,
  billed: BilledWorkOrder[],
): ProposedLine | undefined {
  const measured = rule.measure && proposeMeasuredLine(rule, job, billed);
  if (measured) return measured === 'free' ? undefined : measured;
  const [newest] = billed.flatMap((other) => findLineItems(other, rule.category)) as [BilledLineItem];
  const cents = Math.round(median(billed.map((other) => sumTotals(findLineItems(other, rule.category)))));
  return buildProposedLine(newest, { quantity: 1, unit: 'flat', cents });
}

/**
 * Returns a line item for the units that are not usually free, at the median price. Returns 'free'
 * if all units are free. Returns undefined if the units are unknown, or if most invoices do not
 * charge by the unit.
 */
function proposeMeasuredLine(
  { category, measure }: FeeRule,
  job: BilledWorkOrder,
  billed: BilledWorkOrder[],
) {
  const units = measure?.of(job);
  if (!measure || !units) return undefined;
  const lines = billed.flatMap((other) => {
    const [line] = findLineItems(other, category);
    const had = measure.of(other);
    return line?.unit_type === measure.unit && had !== null ? [{ line, free: had - line.quantity }] : [];
  });
  const [newest] = lines;
  if (!newest || lines.length * 2 < billed.length) return undefined;
  const free = Math.max(0, median(lines.map((one) => one.free)));
  const quantity = Math.round((units - free) * 10) / 10;
  if (quantity <= 0) return 'free';
  const cents = Math.round(median(lines.map(({ line }) => line.unit_price_cents)));
  return buildProposedLine(newest.line, { quantity, unit: measure.unit, cents });
}

function buildProposedLine(
  { name, category, taxable }: BilledLineItem,
  { quantity, unit, cents }: { quantity: number; unit: string; cents: number },
): ProposedLine {
  // `quantity` has one decimal, so the product of its tenths and `cents` is exact.
  const total = Math.round((Math.round(quantity * 10) * cents) / 10);
  return {
    name,
    description: null,
    category,
    quantity,
    unit_type: unit,
    unit_price_cents: cents,
    total_cents: total,
    taxable,
  };
}
