import type { Command } from '../../../contracts/command.js';
import type { InvoiceRow } from '../../invoices/handlers/lifecycle.js';
import type { NoticeDraft } from '../../notices/store.js';
import type { PaymentReport } from '../commands.js';

/** Builds the notice about a bank debit that failed while it was processing. */
export function failedNotice(
  { entityId, input }: Command<PaymentReport>,
  { invoice_number }: InvoiceRow,
): NoticeDraft {
  return {
    kind: 'payment_failed',
    title: `A bank debit for invoice ${invoice_number} has failed`,
    text: `${input.failure_reason ?? 'The bank did not say why.'} The invoice is still open.`,
    entity_type: 'payment',
    entity_id: entityId,
  };
}

/** Builds the notice about a customer's payment of an invoice that can no longer be paid. */
export function unappliedNotice(
  { entityId }: Command<PaymentReport>,
  { invoice_number, status }: InvoiceRow,
): NoticeDraft {
  return {
    kind: 'payment_not_applied',
    title: `A customer paid invoice ${invoice_number}, which is ${status}`,
    text: 'The amount is credit of the customer. Refund it, or apply it to another invoice.',
    entity_type: 'payment',
    entity_id: entityId,
  };
}
