import type { ChargeOrder, ChargeResult } from '../../integrations/contract/saved-methods.js';
import type { AutopayReport } from './commands.js';
import type { ChargeFacts } from './queries.js';

export function toChargeOrder(attemptId: string, facts: ChargeFacts): ChargeOrder {
  return {
    attemptId,
    invoiceId: facts.invoice_id,
    title: `Invoice ${facts.invoice_number} of ${facts.business_name}`,
    amountCents: facts.amount_cents,
    methodExternalId: facts.provider_method_id,
    customerExternalId: facts.provider_customer_id,
    receiptEmail: facts.receipt_email,
  };
}

/** Converts a vendor's response to a charge into the report that is stored for the attempt. */
export function toAutopayReport({
  status,
  paymentExternalId,
  declineCode,
  message,
}: ChargeResult): AutopayReport {
  const provider_payment_id = paymentExternalId;
  if (status !== 'declined') return { status, provider_payment_id };
  return { status: 'failed', provider_payment_id, decline_code: declineCode, failure_reason: message };
}

/** Returns the reason why the charge must not be made, or undefined if it may be made. */
export function findChargeObstacle(facts: ChargeFacts): string | undefined {
  const { balance_cents, amount_cents, invoice_status, method_status } = facts;
  if (facts.status !== 'charging') return 'The attempt has ended.';
  if (facts.is_old) return 'The attempt has waited for a day, so it is planned anew.';
  if (!facts.is_wanted) return 'Autopay was changed.';
  if (facts.is_on_reader) return 'A card reader asks for the same payment.';
  if (balance_cents < amount_cents) return 'The invoice owes less than when the charge was planned.';
  if (['void', 'cancelled', 'draft', 'needs_review', 'disputed'].includes(invoice_status))
    return `The invoice is ${invoice_status}.`;
  return method_status === 'active' ? undefined : 'The payment method was removed.';
}
