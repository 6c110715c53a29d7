import type { PaymentState } from '../../../shared/integrations/contract/payments.js';
import { newId } from '../../../shared/platform/ids.js';
import { type PaymentReport, recordPayment } from '../../../shared/resources/payments/commands.js';
import { getPayments } from './pay-links.js';
import type { KnownChange, RecordKind } from './record-kind.js';

/** The record kind `payment`. A read finds the payments that customers have made at the vendor. */
export const paymentRecords: RecordKind<PaymentState> = {
  write: () => Promise.reject(new Error('payments are not written by operations')),
  storeAcceptance: () => undefined,
  buildSuccess: () => [],
  buildFailure: () => [],
  pull: async (step, from) => getPayments(step).charges.pull(await step.open(), from),
  readNamed: async (step, hints) => getPayments(step).charges.readNamed(await step.open(), hints),
  // Ignore payments without an invoice. They belong to other programs that use the same vendor
  // account.
  adopt: ({ fields: { invoiceId, status } }) =>
    invoiceId !== null && status !== 'open' ? newId() : undefined,
  buildChanges(changes) {
    const observedAt = new Date().toISOString();
    return changes.flatMap((change) => buildReport(change, observedAt));
  },
};

function buildReport({ change, id }: KnownChange<PaymentState>, observedAt: string) {
  const {
    invoiceId,
    payLinkId,
    terminalPaymentId,
    status,
    amountCents,
    method,
    feeCents,
    failureReason,
    paidAt,
  } = change.fields;
  if (invoiceId === null || status === 'open') return [];
  const input: PaymentReport = {
    invoice_id: invoiceId,
    pay_link_id: payLinkId,
    terminal_payment_id: terminalPaymentId,
    provider_payment_id: change.externalId,
    status,
    amount_cents: amountCents,
    method,
    fee_cents: feeCents,
    failure_reason: failureReason,
    paid_at: paidAt,
    observed_at: observedAt,
  };
  return [{ type: recordPayment.type, entityId: id.local_id, input }];
}
