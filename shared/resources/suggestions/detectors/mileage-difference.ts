import { formatDollars } from '../../../billing/phrases.js';
import type { ProposedLine, RateCardItem } from '../../../contracts/generated.js';
import type { Thresholds } from './catalogue.js';
import {
  type BilledLineItem,
  type BilledWorkOrder,
  type DetectionSubject,
  findLineItems,
  readDrivenMiles,
} from './facts.js';
import type { SuggestionDraft } from './kinds.js';
import { median, toOneDecimal, toTwoDecimals } from './statistics.js';

/** A smaller difference is not reported, however short the tow was. */
const MIN_DIFFERENCE_MILES = 2;
/**
 * If the driver reported what was billed, two stand against one. Then only a difference this many
 * times as large is reported.
 */
const CONFIRMED_FACTOR = 2;
/** Drivers round the miles that they report. */
const ROUNDING_MILES = 1;
/** The sentences about the miles, by where they come from. */
const BY_SOURCE = {
  positions: [
    "The truck's positions show",
    'straight lines between them are a little shorter than the road.',
  ],
  odometer: ["The truck's odometer shows", 'the odometer agrees with them.'],
} as const;
/** Without a rate card, so many invoices show how many miles the company gives away. */
const MIN_SAMPLES = 8;

/**
 * Compares the billed miles with the loaded miles that the positions or the odometer of the truck
 * show, without the miles that are free. Reports a difference that is larger than two miles and
 * than a share of the loaded miles.
 */
export function findMileageDifference(
  subject: DetectionSubject,
  thresholds: Thresholds,
): SuggestionDraft | undefined {
  const { job } = subject;
  const driven = readDrivenMiles(job);
  const line = findOnlyLine(subject);
  if (driven === null || !line) return undefined;
  const item = findOwnItem(subject, line);
  const free = item ? item.included_quantity : guessFreeMiles(subject);
  if (free === undefined) return undefined;
  const billable = line.quantity + free;
  const due = toOneDecimal(Math.max(0, driven - free));
  const difference = toOneDecimal(due - line.quantity);
  const isMissed = difference > 0;
  const detector = isMissed ? 'missed_driven_miles' : 'anomaly_driven_miles';
  // An adjustment may have corrected the miles already.
  if (!isMissed && findLineItems(job, 'adjustment').length > 0) return undefined;
  const tolerance =
    Math.max(MIN_DIFFERENCE_MILES, thresholds[detector] * driven) *
    (isConfirmed(job, billable) ? CONFIRMED_FACTOR : 1);
  if (Math.abs(difference) <= tolerance) return undefined;
  const proposed = isMissed
    ? proposeMiles(line, difference)
    : proposeReduction(line, { due, minimumCents: item?.minimum_cents ?? 0 });
  if (!proposed) return undefined;
  const excess = Math.abs(difference) / tolerance;
  const cents = Math.abs(proposed.total_cents);
  const coverage = job.driven_coverage ?? 0;
  const [source, meaning] = BY_SOURCE[job.driven_source ?? 'positions'];
  return {
    kind: isMissed ? 'missed_fee' : 'anomaly',
    detector,
    entity_type: 'invoice',
    entity_id: job.invoice_id,
    occasion: job.driven_measured_at ?? '',
    invoice_id: job.invoice_id,
    title: isMissed ? 'Fewer miles were billed than driven' : 'More miles were billed than driven',
    rationale: `${line.quantity} miles were billed. ${source} ${driven} loaded miles, of which ${free} are free: ${due} to bill. The difference is ${formatDollars(cents)}. Positions cover ${Math.round(coverage * 100)} % of the time; ${meaning}`,
    amount_cents: cents,
    // Ranks suggestions, and is no probability: 0.5 at the tolerance, with positions for all of
    // the time.
    confidence: Math.min(0.99, toTwoDecimals(coverage * (excess / (excess + 1)))),
    proposed_lines: [proposed],
  };
}

/** True if the driver reported the miles that the invoice charges or gives away. */
function isConfirmed({ miles }: BilledWorkOrder, billable: number): boolean {
  return miles !== null && Math.abs(miles - billable) <= ROUNDING_MILES;
}

/**
 * Returns the only line item that charges miles. If miles are charged twice, by another unit, or on
 * another invoice too, it is unknown which of them are the loaded miles.
 */
function findOnlyLine({ job }: DetectionSubject): BilledLineItem | undefined {
  const [line, ...others] = findLineItems(job, 'mileage');
  const isOnly = others.length === 0 && !job.billed_elsewhere.includes('mileage');
  return line && isOnly && line.unit_type === 'mile' && line.unit_price_cents > 0 ? line : undefined;
}

/** Returns the card's item by which a line item of mileage was priced. */
export function findOwnItem(subject: DetectionSubject, line: BilledLineItem): RateCardItem | undefined {
  const item = findMileageItem(subject);
  return item?.unit_price_cents === line.unit_price_cents ? item : undefined;
}

/**
 * Returns the miles that other invoices of the service left out. Undefined if these are too few, or
 * show that more than the loaded miles is billed.
 */
function guessFreeMiles(subject: DetectionSubject): number | undefined {
  const left = subject.history.flatMap((other) => {
    const [only, ...others] = findLineItems(other, 'mileage');
    if (!only || others.length > 0 || only.unit_type !== 'mile' || other.miles === null) return [];
    return other.invoice_id === subject.job.invoice_id ? [] : [other.miles - only.quantity];
  });
  if (left.length < MIN_SAMPLES) return undefined;
  const free = toOneDecimal(median(left));
  // More miles than the loaded ones are billed, so the company also bills the way to the vehicle.
  return free < 0 ? undefined : free;
}

/** Returns the card's item for miles, unless several apply. */
function findMileageItem({ job, cardItems }: DetectionSubject): RateCardItem | undefined {
  const items = (cardItems ?? []).filter(
    ({ category, unit_type: unit }) => category === 'mileage' && unit === 'mile',
  );
  const named = items.filter((item) => item.service_type === job.service_type);
  const [item, ...others] = named.length > 0 ? named : items.filter((one) => one.service_type === null);
  return others.length === 0 ? item : undefined;
}

function proposeMiles(line: BilledLineItem, miles: number): ProposedLine {
  const { name, category, unit_type, unit_price_cents, taxable } = line;
  // `miles` has one decimal, so the product of its tenths and the price is exact.
  const total_cents = Math.round((Math.round(miles * 10) * unit_price_cents) / 10);
  const description = 'Driven, and not billed yet';
  return { name, description, category, quantity: miles, unit_type, unit_price_cents, total_cents, taxable };
}

/** Returns undefined if the minimum of the rate card leaves nothing to take off. */
function proposeReduction(
  line: BilledLineItem,
  { due, minimumCents }: { due: number; minimumCents: number },
): ProposedLine | undefined {
  const dueCents = due > 0 ? Math.max(Math.round(due * line.unit_price_cents), minimumCents) : 0;
  const cents = dueCents - line.total_cents;
  if (cents >= 0) return undefined;
  return {
    name: `Mileage reduced from ${line.quantity} to ${due}`,
    description: dueCents > 0 && dueCents === minimumCents ? 'To the minimum of the rate card' : null,
    category: 'adjustment',
    quantity: 1,
    unit_type: 'flat',
    unit_price_cents: cents,
    total_cents: cents,
    taxable: line.taxable,
  };
}
