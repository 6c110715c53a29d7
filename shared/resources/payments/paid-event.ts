import type { EventDraft } from '../../contracts/command.js';
import type { InvoiceRow } from '../invoices/handlers/lifecycle.js';

/** @param payment the rendered payment */
export function buildPaidEvent(invoice: InvoiceRow, payment: unknown): EventDraft {
  return {
    type: 'invoice.paid',
    entity: { type: 'invoice', id: invoice.id },
    extra: { payment, fully_paid: invoice.paid_cents === invoice.total_cents },
  };
}
