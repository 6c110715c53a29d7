import type { ListedInvoice } from '../../../shared/integrations/contract/accounting.js';
import type { DifferenceCode } from '../../../shared/resources/books/reconciliation/codes.js';
import {
  type ComparedInvoice,
  isIssued,
} from '../../../shared/resources/books/reconciliation/our-invoices.js';
import type { NewBookDifference } from '../../../shared/resources/books/reconciliation/rows.js';
import { CORRECTED } from '../../../shared/resources/books/store.js';

/** One side of an invoice, as a difference shows it. */
interface Side {
  status: string;
  month: string | null;
  number: string | null;
  total_cents: number;
  paid_cents: number;
}

/** An invoice in the books. If it was read by its id, its day and its payments are unknown. */
export type TheirInvoice = Omit<ListedInvoice, 'day' | 'paidCents' | 'creditedCents'> &
  Partial<Pick<ListedInvoice, 'day' | 'paidCents'>>;

interface Pair {
  ours: ComparedInvoice | undefined;
  theirs: TheirInvoice | undefined;
}

/**
 * Compares both sides of an invoice. A void invoice is worth nothing on either side.
 * @param vendor what people call the vendor
 * @returns undefined if both sides agree
 */
export function compareInvoice({ ours, theirs }: Pair, vendor: string): NewBookDifference | undefined {
  const isHere = ours !== undefined && isIssued(ours);
  const isThere = theirs?.status === 'open';
  if (!isHere && !isThere) return undefined;
  const found = findDifference({ ours, theirs }, { isHere, isThere, vendor });
  if (!found) return undefined;
  const isWaiting = ours?.is_waiting === true && found.code !== 'correction';
  return {
    code: isWaiting ? 'waiting' : found.code,
    message: isWaiting ? `${found.message} A change waits${explain(ours)}.` : found.message,
    month: (ours && toMonth(ours.day)) ?? toMonth(theirs?.day ?? null),
    invoice_id: ours?.id ?? null,
    external_id: theirs?.externalId ?? ours?.external_id ?? null,
    invoice_number: ours?.invoice_number ?? theirs?.number?.slice(0, MAX_NUMBER_CHARS) ?? null,
    ours: ours ? toOurSide(ours) : null,
    theirs: theirs ? toTheirSide(theirs) : null,
  };
}

const MAX_NUMBER_CHARS = 255;

function findDifference(
  { ours, theirs }: Pair,
  { isHere, isThere, vendor }: { isHere: boolean; isThere: boolean; vendor: string },
): { code: DifferenceCode; message: string } | undefined {
  const name = `Invoice ${ours?.invoice_number ?? theirs?.number ?? theirs?.externalId}`;
  if (!ours) return { code: 'missing_here', message: `${name} is only at ${vendor}.` };
  if (!theirs) return { code: 'missing_there', message: `${name} is not at ${vendor}${explain(ours)}.` };
  if (ours.external_id === null)
    return {
      code: 'not_linked',
      message: `${name} is at ${vendor}, but this service has not entered it${explain(ours)}.`,
    };
  if (!isHere && CORRECTED.includes(ours.status))
    return { code: 'correction', message: `${name} is being corrected here. ${vendor} has the old one.` };
  if (isHere !== isThere)
    return {
      code: 'status',
      message: `${name} is ${isHere ? 'open' : 'void'} here, and ${theirs.status} at ${vendor}.`,
    };
  return findOther({ ours, theirs }, { name, vendor });
}

/** The members to compare, the most important one first. */
const MEMBERS: readonly (readonly [keyof Side, DifferenceCode, string])[] = [
  ['month', 'month', 'month'],
  ['total_cents', 'amount', 'total'],
  ['number', 'number', 'number'],
  ['paid_cents', 'paid', 'paid amount'],
];

function findOther(
  { ours, theirs }: { ours: ComparedInvoice; theirs: TheirInvoice },
  { name, vendor }: { name: string; vendor: string },
): { code: DifferenceCode; message: string } | undefined {
  const our = toOurSide(ours);
  const their = toTheirSide(theirs);
  // An invoice that was read by its id has another date than the compared months.
  const isElsewhere = theirs.day === undefined;
  const isKnown = (member: keyof Side) => member !== 'paid_cents' || theirs.paidCents !== undefined;
  const others = MEMBERS.filter(([member]) => isKnown(member) && our[member] !== their[member]);
  const [first] = others;
  if (!first) return undefined;
  const texts = others.map(([member, , label]) =>
    member === 'month' && isElsewhere
      ? `a date of ${our.month} here, and of none of the compared months at ${vendor}`
      : `${label} ${show(member, our)} here, ${show(member, their)} at ${vendor}`,
  );
  return { code: first[1], message: `${name} differs: ${texts.join('; ')}.` };
}

function show(member: keyof Side, side: Side): string {
  return member.endsWith('_cents')
    ? `$${(Number(side[member]) / 100).toFixed(2)}`
    : String(side[member] ?? 'none');
}

/** The vendor's reason, if a write waits for it or was given up. */
function explain({ reason }: ComparedInvoice): string {
  return reason === null ? '' : `: ${reason.replace(/\.$/, '').slice(0, 500)}`;
}

export function toMonth(day: string | null): string | null {
  return day === null ? null : day.slice(0, 7);
}

function toOurSide(invoice: ComparedInvoice): Side {
  const { status, day, invoice_number: number, total_cents, paid_cents } = invoice;
  return { status, month: toMonth(day), number, total_cents, paid_cents };
}

function toTheirSide({ status, day = null, number, totalCents, paidCents = 0 }: TheirInvoice): Side {
  return { status, month: toMonth(day), number, total_cents: totalCents, paid_cents: paidCents };
}
