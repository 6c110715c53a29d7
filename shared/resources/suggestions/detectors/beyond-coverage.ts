import { calculateLineTotalCents, MAX_QUANTITY_DECIMALS } from '../../../billing/money.js';
import { formatCount, formatDollars } from '../../../billing/phrases.js';
import type { ProposedLine } from '../../../contracts/generated.js';
import type { Thresholds } from './catalogue.js';
import { type CoverageTerms, type DetectionSubject, findLineItems, sumTotals } from './facts.js';
import type { SuggestionDraft } from './kinds.js';
import { findOwnItem } from './mileage-difference.js';

/** The coverage is a fact. Still, the customer may have agreed to pay more for this work order. */
const CONFIDENCE = 0.95;

/**
 * Finds what an unreleased invoice bills beyond the coverage of its customer. Discounts and
 * adjustments on the invoice count as taken off already.
 */
export function findBeyondCoverage(
  subject: DetectionSubject,
  thresholds: Thresholds,
): SuggestionDraft | undefined {
  const { job, coverage } = subject;
  if (!coverage) return undefined;
  const finding = findOtherService(subject, coverage) ?? findOverLimits(subject, coverage);
  if (finding.cents < thresholds.beyond_coverage) return undefined;
  return {
    kind: 'anomaly',
    detector: 'beyond_coverage',
    entity_type: 'invoice',
    entity_id: job.invoice_id,
    // Other limits or another subtotal are another finding, with other line items.
    occasion: [
      coverage.loaded_miles ?? '',
      coverage.amount_cents ?? '',
      finding.isOtherService ? job.service_type : '',
      job.subtotal_cents,
      finding.cents,
    ].join('/'),
    invoice_id: job.invoice_id,
    invoice_subtotal_cents: job.subtotal_cents,
    title: finding.isOtherService
      ? 'The customer does not cover this service'
      : 'More is billed than the customer covers',
    rationale: finding.rationale,
    amount_cents: finding.cents,
    confidence: CONFIDENCE,
    proposed_lines: finding.lines,
  };
}

interface Finding {
  isOtherService: boolean;
  cents: number;
  rationale: string;
  lines: ProposedLine[];
}

/** Taking everything off would leave an empty invoice, so a person cancels or corrects it. */
function findOtherService(
  { job }: DetectionSubject,
  { service_types: services }: CoverageTerms,
): Finding | undefined {
  if (!services || job.service_type === null || services.includes(job.service_type)) return undefined;
  return {
    isOtherService: true,
    cents: Math.max(0, job.subtotal_cents),
    rationale: `The customer covers ${services.join(', ')}; the service of this work order is ${job.service_type}. All ${formatDollars(job.subtotal_cents)} before tax are beyond the coverage. Accepting changes no invoice: cancel this one and charge the motorist, or correct the service.`,
    lines: [],
  };
}

function findOverLimits(subject: DetectionSubject, coverage: CoverageTerms): Finding {
  const { job } = subject;
  const miles = measureMiles(subject, coverage);
  const charged = sumTotals(job.lines.filter((line) => line.total_cents > 0));
  const left =
    coverage.amount_cents === null
      ? Number.POSITIVE_INFINITY
      : Math.max(0, coverage.amount_cents - coverage.earlier_cents);
  const cents = job.subtotal_cents - Math.min(charged - miles.taxableCents - miles.untaxedCents, left);
  return {
    isOtherService: false,
    cents,
    rationale: [
      `${formatDollars(job.subtotal_cents)} before tax are billed.`,
      ...(miles.beyond > 0 ? [miles.reason] : []),
      ...(left < job.subtotal_cents ? [explainAmount(coverage)] : []),
      `Beyond the coverage are ${formatDollars(cents)}. Accepting takes them off this invoice; charge them to the motorist.`,
    ].join(' '),
    lines: cents > 0 ? proposeLines(subject, { cents, miles }) : [],
  };
}

function explainAmount({ amount_cents: most, earlier_cents: earlier }: CoverageTerms): string {
  const used = earlier > 0 ? `, and earlier invoices bill ${formatDollars(earlier)}` : '';
  return `The customer covers ${formatDollars(most ?? 0)} of a work order${used}.`;
}

interface MilesBeyond {
  beyond: number;
  taxableCents: number;
  untaxedCents: number;
  reason: string;
}

/**
 * Measures the billed miles beyond the covered ones, and their price. The last line items charge
 * the last miles. Without a rate card that has the invoice's price, no free miles are known, so the
 * billed ones count alone.
 */
function measureMiles(subject: DetectionSubject, coverage: CoverageTerms): MilesBeyond {
  const lines = findLineItems(subject.job, 'mileage').filter(
    (line) => line.unit_type === 'mile' && line.unit_price_cents > 0,
  );
  const billed = roundQuantity(lines.reduce((sum, line) => sum + line.quantity, 0));
  const most = coverage.loaded_miles;
  const free = Math.max(0, ...lines.map((line) => findOwnItem(subject, line)?.included_quantity ?? 0));
  const loaded = billed + free + coverage.earlier_miles;
  const result = { beyond: 0, taxableCents: 0, untaxedCents: 0, reason: '' };
  if (most === null || loaded <= most) return result;
  result.beyond = roundQuantity(Math.min(billed, loaded - most));
  let rest = result.beyond;
  for (const line of lines.reverse()) {
    const taken = roundQuantity(Math.min(rest, line.quantity));
    if (taken === 0) break;
    const cents =
      taken === line.quantity ? line.total_cents : calculateLineTotalCents(taken, line.unit_price_cents);
    result[line.taxable ? 'taxableCents' : 'untaxedCents'] += cents;
    rest = roundQuantity(rest - taken);
  }
  const details = [
    ...(free > 0 ? [`${free} more are free`] : []),
    ...(coverage.earlier_miles > 0 ? [`earlier invoices bill ${coverage.earlier_miles}`] : []),
  ];
  result.reason = `The customer covers ${most} loaded miles of a work order; ${[`${billed} are billed here`, ...details].join(', ')}: ${formatCount(result.beyond, 'mile')} for ${formatDollars(result.taxableCents + result.untaxedCents)} ${result.beyond === 1 ? 'is' : 'are'} beyond.`;
  return result;
}

const roundQuantity = (quantity: number) => Number(quantity.toFixed(MAX_QUANTITY_DECIMALS));

/**
 * Proposes what to take off: first the miles, then a share of everything. Each part keeps its
 * taxation, so the amounts of the customer and of the motorist add up to what was billed.
 */
function proposeLines(
  { job }: DetectionSubject,
  { cents, miles }: { cents: number; miles: MilesBeyond },
): ProposedLine[] {
  const taxable = sumTotals(job.lines.filter((line) => line.taxable));
  const taxableMiles = Math.min(cents, miles.taxableCents);
  const untaxedMiles = Math.min(cents - taxableMiles, miles.untaxedCents);
  const rest = cents - taxableMiles - untaxedMiles;
  const taxableLeft = Math.max(0, taxable - taxableMiles);
  const untaxedLeft = Math.max(0, job.subtotal_cents - taxable - untaxedMiles);
  const share = taxableLeft === 0 ? 0 : taxableLeft / (taxableLeft + untaxedLeft);
  const taxableRest = Math.round(rest * share);
  const milesName = `Beyond coverage: ${formatCount(miles.beyond, 'mile')}`;
  const amountName = 'Beyond coverage: amount';
  return [
    takeOff(milesName, { cents: taxableMiles, taxable: true }),
    takeOff(milesName, { cents: untaxedMiles, taxable: false }),
    takeOff(amountName, { cents: taxableRest, taxable: true }),
    takeOff(amountName, { cents: rest - taxableRest, taxable: false }),
  ].filter(({ total_cents: total }) => total < 0);
}

function takeOff(name: string, { cents, taxable }: { cents: number; taxable: boolean }): ProposedLine {
  const fields = { name, description: null, category: 'adjustment', quantity: 1, unit_type: 'flat' } as const;
  return { ...fields, unit_price_cents: -cents, total_cents: -cents, taxable };
}
