import { type ListedInvoice, OUR_CURRENCY } from '../../../shared/integrations/contract/accounting.js';
import type { ComparedInvoice } from '../../../shared/resources/books/reconciliation/our-invoices.js';
import type { Reconciliation, Sums } from '../../../shared/resources/books/reconciliation/rows.js';

/** The compared months: the first day, and the day after the last one. */
export type Range = Pick<Reconciliation, 'from' | 'until'>;

/** Returns the month of a day, as YYYY-MM; null if it is not compared. */
export function findMonth(day: string | null | undefined, { from, until }: Range): string | null {
  return day != null && day >= from && day < until ? day.slice(0, 7) : null;
}

/** True if the amounts in the books cannot be compared with ours. */
export function isForeign({ currency }: ListedInvoice): boolean {
  return currency !== null && currency !== OUR_CURRENCY;
}

/** Adds an invoice in the books to the sums of its month. A draft is only counted. */
export function addTheirs(reconciliation: Reconciliation, invoice: ListedInvoice): void {
  const { status, day, totalCents, paidCents, creditedCents } = invoice;
  const month = findMonth(day, reconciliation);
  if (month === null) return;
  const { months } = reconciliation;
  if (status === 'draft') months[month] = { ...months[month], drafts: (months[month]?.drafts ?? 0) + 1 };
  if (status !== 'open' || isForeign(invoice)) return;
  const theirs = addTo(months[month]?.theirs, { totalCents, paidCents, creditedCents });
  months[month] = { ...months[month], theirs };
}

/** Adds one of our invoices to the sums of its month. */
export function addOurs(reconciliation: Reconciliation, invoice: ComparedInvoice): void {
  const { day, total_cents: totalCents, paid_cents: paidCents } = invoice;
  const month = findMonth(day, reconciliation);
  if (month === null) return;
  const { months } = reconciliation;
  const ours = addTo(months[month]?.ours, { totalCents, paidCents, creditedCents: 0 });
  months[month] = { ...months[month], ours };
}

const NOTHING: Sums = { invoices: 0, invoiced_cents: 0, paid_cents: 0, credited_cents: 0 };

function addTo(
  { invoices, invoiced_cents, paid_cents, credited_cents }: Sums = NOTHING,
  { totalCents, paidCents, creditedCents }: Pick<ListedInvoice, 'totalCents' | 'paidCents' | 'creditedCents'>,
): Sums {
  return {
    invoices: invoices + 1,
    invoiced_cents: invoiced_cents + totalCents,
    paid_cents: paid_cents + paidCents,
    credited_cents: credited_cents === null || creditedCents === null ? null : credited_cents + creditedCents,
  };
}
