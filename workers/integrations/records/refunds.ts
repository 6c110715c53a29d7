import type { RefundState } from '../../../shared/integrations/contract/payments.js';
import { newId } from '../../../shared/platform/ids.js';
import { readRefundFacts } from '../../../shared/resources/payments/queries.js';
import { type RefundReport, recordRefund } from '../../../shared/resources/refunds/commands.js';
import { findEarly } from './find-early.js';
import { getPayments } from './pay-links.js';
import type { RecordKind } from './record-kind.js';
import { toAttempt } from './to-attempt.js';

/**
 * The record kind `refund`. A write pays a refund at the vendor. A read finds the outcomes of
 * refunds, and refunds that were made at the vendor.
 */
export const refundRecords: RecordKind<RefundState> = {
  async write(step, operation) {
    const { tenant_id, local_id: id } = operation;
    const facts = await readRefundFacts(step.db, { tenant_id, id });
    if (!facts) throw new Error('the refund of an operation does not exist');
    const { provider_payment_id: paymentExternalId, amount_cents: amountCents } = facts;
    const order = { refundId: id, paymentExternalId, amountCents };
    const { refunds } = getPayments(step);
    const change = await refunds.create(await step.open(), order, toAttempt(operation));
    return { written: { externalId: change.externalId, version: change.version }, state: change.fields };
  },
  storeAcceptance: () => undefined,
  buildSuccess: ({ local_id: entityId }, { state }) =>
    state ? [{ type: recordRefund.type, entityId, input: toReport(state) }] : [],
  buildFailure: ({ local_id: entityId }, { reason }) => [
    {
      type: recordRefund.type,
      entityId,
      input: {
        provider_payment_id: null,
        status: 'failed',
        amount_cents: null,
        failure_reason: reason,
        observed_at: new Date().toISOString(),
      } satisfies RefundReport,
    },
  ],
  pull: async (step, from) => getPayments(step).refunds.pull(await step.open(), from),
  readNamed: async (step, hints) => getPayments(step).refunds.readNamed(await step.open(), hints),
  adopt: ({ fields: { refundId } }) => refundId ?? newId(),
  findEarly,
  buildChanges: (changes) =>
    changes.map(({ change: { fields }, id }) => ({
      type: recordRefund.type,
      entityId: id.local_id,
      input: toReport(fields),
    })),
};

function toReport({ paymentExternalId, status, amountCents, failureReason }: RefundState): RefundReport {
  return {
    provider_payment_id: paymentExternalId,
    status,
    amount_cents: amountCents,
    failure_reason: failureReason,
    observed_at: new Date().toISOString(),
  };
}
