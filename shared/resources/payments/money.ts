import type { Change } from '../../contracts/command.js';
import { type InvoiceRow, mayMove } from '../invoices/handlers/lifecycle.js';
import { computeReopenedStatus } from '../invoices/transitions.js';

interface InvoiceAmounts {
  total_cents: number;
  paid_cents: number;
}

/**
 * Returns how much of a payment applies to the invoice, and the invoice's paid amount after the
 * payment. The rest of the payment becomes credit.
 */
export function applyPayment(
  invoice: InvoiceAmounts,
  amountCents: number,
): { appliedCents: number; paidCents: number } {
  const owedCents = Math.max(0, invoice.total_cents - invoice.paid_cents);
  const appliedCents = Math.min(owedCents, amountCents);
  return { appliedCents, paidCents: invoice.paid_cents + appliedCents };
}

/**
 * Applies a payment to its invoice, which the caller has found payable. The part of the payment
 * that exceeds the balance due becomes the customer's credit (docs/decisions.md §3, Money).
 * @param receivedAt RFC 3339
 */
export function applyToInvoice(
  row: InvoiceRow,
  amountCents: number,
  receivedAt: string,
): { invoice: InvoiceRow; appliedCents: number; changes: Change[] } {
  const { appliedCents, paidCents } = applyPayment(row, amountCents);
  const isFullyPaid = paidCents === row.total_cents;
  const status = isFullyPaid ? 'paid' : row.status === 'overdue' ? 'overdue' : 'partially_paid';
  const paidAt = row.status === 'paid' ? row.paid_at : receivedAt;
  const invoice: InvoiceRow = { ...row, paid_cents: paidCents, status, paid_at: paidAt };
  const changes = [
    { field: 'invoice.paid_cents', from: row.paid_cents, to: paidCents },
    ...(status === row.status ? [] : [{ field: 'invoice.status', from: row.status, to: status }]),
  ];
  return { invoice, appliedCents, changes };
}

interface PaymentAmounts {
  amount_cents: number;
  applied_cents: number;
  refunded_cents: number;
}

/**
 * Returns the payment and the invoice after a refund. A refund first uses the payment's credit,
 * then the amount applied to the invoice.
 *
 * If the applied amount shrinks, a paid or partially paid invoice gets the status that {@link
 * computeReopenedStatus} returns. An invoice in another status, such as disputed or overdue, keeps
 * its status (docs/decisions.md §3).
 */
export function applyRefund<P extends PaymentAmounts>(
  { payment, invoice, isPastDue }: { payment: P; invoice: InvoiceRow; isPastDue: boolean },
  amountCents: number,
): { payment: P; invoice: InvoiceRow } {
  const creditCents = payment.amount_cents - payment.refunded_cents - payment.applied_cents;
  const takenBackCents = Math.max(0, amountCents - creditCents);
  const paidCents = invoice.paid_cents - takenBackCents;
  const next = {
    ...payment,
    refunded_cents: payment.refunded_cents + amountCents,
    applied_cents: payment.applied_cents - takenBackCents,
  };
  const isReopened = takenBackCents > 0 && ['paid', 'partially_paid'].includes(invoice.status);
  const status = isReopened
    ? computeReopenedStatus({
        isPastDue: invoice.released_at !== null && isPastDue,
        paidCents,
        isViewed: invoice.viewed_at !== null,
        releasedAs: invoice.released_as,
      })
    : invoice.status;
  const paidAt = paidCents === 0 ? null : invoice.paid_at;
  return { payment: next, invoice: { ...invoice, paid_cents: paidCents, status, paid_at: paidAt } };
}

/**
 * Undoes a refund that could not be paid out, and returns the payment and the invoice. The refunded
 * amount counts as paid again. The part that exceeds the balance becomes the customer's credit.
 */
export function undoRefund<P extends PaymentAmounts>(
  { payment, invoice }: { payment: P; invoice: InvoiceRow },
  amountCents: number,
): { payment: P; invoice: InvoiceRow } {
  const restored = { ...payment, refunded_cents: payment.refunded_cents - amountCents };
  if (invoice.status !== 'paid' && !mayMove(invoice, 'paid', 'P')) return { payment: restored, invoice };
  const applied = applyToInvoice(invoice, amountCents, new Date().toISOString());
  return {
    payment: { ...restored, applied_cents: payment.applied_cents + applied.appliedCents },
    invoice: applied.invoice,
  };
}
