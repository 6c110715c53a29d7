import type { Change, EventDraft } from '../../contracts/command.js';
import type { InvoiceRow } from '../invoices/handlers/lifecycle.js';
import { applyPayment } from './money.js';

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

/** @param payment the rendered payment */
export function buildPaidEvent(invoice: InvoiceRow, payment: unknown): EventDraft {
  return {
    type: 'invoice.paid',
    entity: { type: 'invoice', id: invoice.id },
    extra: { payment, fully_paid: invoice.paid_cents === invoice.total_cents },
  };
}
