import type { ListedInvoice } from '../../../shared/integrations/contract/accounting.js';
import type { DifferenceCode } from '../../../shared/resources/books/reconciliation/codes.js';
import type { NewBookDifference } from '../../../shared/resources/books/reconciliation/found-rows.js';
import {
  type ComparedInvoice,
  isIssued,
} from '../../../shared/resources/books/reconciliation/our-invoices.js';
import { CORRECTED } from '../../../shared/resources/books/store.js';
import { findMonth, isForeign, type Range } from './month-sums.js';

/** One side of an invoice, as a difference shows it. */
interface Side {
  status: string;
  month: string | null;
  number: string | null;
  total_cents: number;
  paid_cents: number;
}

/** Both sides of an invoice. */
export interface Pair {
  ours?: ComparedInvoice | undefined;
  theirs?: ListedInvoice | undefined;
  /** True if another record in the books is our invoice too. */
  isDuplicate?: boolean;
}

interface Found {
  code: DifferenceCode;
  message: string;
}

const MAX_NUMBER_CHARS = 255;

/**
 * Compares both sides of an invoice. A void invoice is worth nothing on either side.
 * @param vendor what people call the vendor
 * @returns undefined if both sides agree
 */
export function compareInvoice(
  pair: Pair,
  { vendor, range }: { vendor: string; range: Range },
): NewBookDifference | undefined {
  const { ours, theirs } = pair;
  const found = findDifference(pair, vendor);
  if (!found) return undefined;
  return {
    ...(ours ? explainByWrite(found, ours) : found),
    // The sides may have other months. Count the difference in one that the report shows.
    month: findMonth(ours?.day, range) ?? findMonth(theirs?.day, range),
    invoice_id: ours?.id ?? null,
    external_id: theirs?.externalId ?? ours?.external_id ?? null,
    invoice_number: ours?.invoice_number ?? theirs?.number?.slice(0, MAX_NUMBER_CHARS) ?? null,
    ours: ours ? toOurSide(ours) : null,
    theirs: theirs ? toTheirSide(theirs) : null,
  };
}

/** The differences that no write of ours explains. */
const UNEXPLAINED: readonly DifferenceCode[] = ['duplicate', 'currency', 'correction'];

/** A write that waits, or has just reached the books, may be the whole difference. */
function explainByWrite({ code, message }: Found, ours: ComparedInvoice): Found {
  if (ours.write === null || UNEXPLAINED.includes(code)) return { code, message };
  return ours.write === 'waiting'
    ? { code: 'waiting', message: `${message} A change waits${explain(ours)}.` }
    : { code: 'changed', message: `${message} A change has reached the books since. Compare again.` };
}

function findDifference({ ours, theirs, isDuplicate = false }: Pair, vendor: string): Found | undefined {
  const isHere = ours !== undefined && isIssued(ours);
  const isThere = theirs?.status === 'open';
  if (!isThere && (!isHere || isDuplicate)) return undefined;
  const name = `Invoice ${ours?.invoice_number ?? theirs?.number ?? theirs?.externalId}`;
  if (isDuplicate) return { code: 'duplicate', message: `${name} is more than once at ${vendor}.` };
  if (isThere && isForeign(theirs))
    return {
      code: 'currency',
      message: `${name} is in ${theirs.currency} at ${vendor}, so the sums are without it.`,
    };
  if (!ours) return { code: 'missing_here', message: `${name} is only at ${vendor}.` };
  if (!theirs) {
    // Without a link, only the list of the compared months was searched for it.
    const where = ours.external_id === null ? `in these months at ${vendor}` : `at ${vendor}`;
    return { code: 'missing_there', message: `${name} is not ${where}${explain(ours)}.` };
  }
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
  { ours, theirs }: { ours: ComparedInvoice; theirs: ListedInvoice },
  { name, vendor }: { name: string; vendor: string },
): Found | undefined {
  const our = toOurSide(ours);
  const their = toTheirSide(theirs);
  const others = MEMBERS.filter(([member]) => our[member] !== their[member]);
  const [first] = others;
  if (!first) return undefined;
  const texts = others.map(
    ([member, , label]) => `${label} ${show(member, our)} here, ${show(member, their)} at ${vendor}`,
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

function toOurSide(invoice: ComparedInvoice): Side {
  const { status, day, invoice_number: number, total_cents, paid_cents } = invoice;
  return { status, month: day.slice(0, 7), number, total_cents, paid_cents };
}

function toTheirSide({ status, day, number, totalCents, paidCents }: ListedInvoice): Side {
  const month = day?.slice(0, 7) ?? null;
  return { status, month, number, total_cents: totalCents, paid_cents: paidCents };
}
