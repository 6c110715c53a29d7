import type { ChargeOrder, ChargeResult } from '../../../shared/integrations/contract/saved-methods.js';
import {
  type AutopayReport,
  recordAutopayAttempt,
} from '../../../shared/resources/autopay-attempts/commands.js';
import { UNKNOWN_OUTCOME } from '../../../shared/resources/autopay-attempts/decline-rules.js';
import { type ChargeFacts, readChargeFacts } from '../../../shared/resources/autopay-attempts/queries.js';
import { insertInboundNotices } from '../../../shared/sync/notice-rows.js';
import type { StartedOperation } from '../../../shared/sync/operation-rows.js';
import type { Step } from '../vendor/step.js';
import { getPayments } from './pay-links.js';
import type { RecordKind, WriteFailure, WriteOutcome } from './record-kind.js';
import { toAttempt } from './to-attempt.js';

/**
 * The record kind `autopay_attempt`. A write charges an invoice to a saved payment method. The
 * payment itself is read at the vendor, as any other payment.
 */
export const autopayRecords: RecordKind<ChargeResult> = {
  write: charge,
  async storeAcceptance(tx, { tenant_id, connection_id }, { state }) {
    if (!state || state.status === 'declined') return;
    // The vendor's webhook says the same. So the payment is recorded even if no webhook arrives.
    const hint = state.paymentExternalId;
    const dedupe_id = `charge/${hint}`;
    await insertInboundNotices(tx, [{ tenant_id, connection_id, dedupe_id, stream: 'payments', hint }]);
  },
  buildSuccess: ({ local_id }, { state }) => (state ? [build(local_id, toReport(state))] : []),
  buildFailure: ({ local_id }, failure) => [build(local_id, describeFailure(failure))],
  pull: () => Promise.reject(new Error('autopay attempts have no stream')),
  buildChanges: () => [],
};

function describeFailure({ reason, code, mayHaveArrived }: WriteFailure): AutopayReport {
  if (mayHaveArrived) return { status: 'failed', decline_code: UNKNOWN_OUTCOME, failure_reason: reason };
  if (code === 'cancelled') return { status: 'cancelled', failure_reason: reason };
  return { status: 'failed', decline_code: code, failure_reason: reason };
}

function build(entityId: string, input: AutopayReport) {
  return { type: recordAutopayAttempt.type, entityId, input };
}

function toReport({ status, paymentExternalId, declineCode, message }: ChargeResult): AutopayReport {
  const provider_payment_id = paymentExternalId;
  if (status !== 'declined') return { status, provider_payment_id };
  return { status: 'failed', provider_payment_id, decline_code: declineCode, failure_reason: message };
}

async function charge(step: Step, operation: StartedOperation): Promise<WriteOutcome<ChargeResult>> {
  const { tenant_id, local_id: attemptId, may_have_arrived: mayHaveArrived } = operation;
  const facts = await readChargeFacts(step.db, { tenant_id, id: attemptId });
  if (!facts) throw new Error('the attempt of an operation does not exist');
  const { savedMethods } = getPayments(step);
  const order = toOrder(attemptId, facts);
  const attempt = toAttempt(operation);
  // An attempt that has ended is never repeated, whoever asks for it.
  const hasEnded = facts.status !== 'charging';
  if (mayHaveArrived && !hasEnded) {
    const found = await savedMethods.findCharge(await step.open(), order, attempt.firstAttemptAt);
    if (found) return toOutcome(found);
  }
  const reason = findObstacle(facts);
  if (reason !== undefined) return { cancelled: reason, mayHaveArrived: mayHaveArrived && hasEnded };
  return toOutcome(await savedMethods.charge(await step.open(), order, attempt));
}

function toOutcome(state: ChargeResult): WriteOutcome<ChargeResult> {
  return { written: { externalId: state.paymentExternalId, version: null }, state };
}

function toOrder(attemptId: string, facts: ChargeFacts): ChargeOrder {
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

/** Says why the invoice must not be charged any more. */
function findObstacle(facts: ChargeFacts): string | undefined {
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
