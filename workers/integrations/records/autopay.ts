import type { ChargeResult } from '../../../shared/integrations/contract/saved-methods.js';
import {
  findChargeObstacle,
  toAutopayReport,
  toChargeOrder,
} from '../../../shared/resources/autopay-attempts/charge-rules.js';
import {
  type AutopayReport,
  recordAutopayAttempt,
} from '../../../shared/resources/autopay-attempts/commands.js';
import { UNKNOWN_OUTCOME } from '../../../shared/resources/autopay-attempts/decline-rules.js';
import { readChargeFacts } from '../../../shared/resources/autopay-attempts/queries.js';
import { insertInboundNotices } from '../../../shared/sync/notice-rows.js';
import type { StartedOperation } from '../../../shared/sync/operation-rows.js';
import type { Step } from '../vendor/step.js';
import { getPayments } from './pay-links.js';
import type { RecordKind, WriteFailure, WriteOutcome } from './record-kind.js';
import { toAttempt } from './to-attempt.js';

/**
 * The record kind `autopay_attempt`. A write charges an invoice to a saved payment method. A later
 * read at the vendor finds the payment, as for any other payment.
 */
export const autopayRecords: RecordKind<ChargeResult> = {
  write: charge,
  async storeAcceptance(tx, { tenant_id, connection_id }, { state }) {
    if (!state || state.status === 'declined') return;
    // Store the same item that the vendor's webhook would bring. So the worker reads and records
    // the payment even if no webhook arrives.
    const hint = state.paymentExternalId;
    const dedupe_id = `charge/${hint}`;
    await insertInboundNotices(tx, [{ tenant_id, connection_id, dedupe_id, stream: 'payments', hint }]);
  },
  buildSuccess: ({ local_id }, { state }) => (state ? [build(local_id, toAutopayReport(state))] : []),
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

async function charge(step: Step, operation: StartedOperation): Promise<WriteOutcome<ChargeResult>> {
  const { tenant_id, local_id: attemptId, may_have_arrived: mayHaveArrived } = operation;
  const facts = await readChargeFacts(step.db, { tenant_id, id: attemptId });
  if (!facts) throw new Error('the attempt of an operation does not exist');
  const { savedMethods } = getPayments(step);
  const order = toChargeOrder(attemptId, facts);
  const attempt = toAttempt(operation);
  // An attempt that has ended must never charge again.
  const hasEnded = facts.status !== 'charging';
  if (mayHaveArrived && !hasEnded) {
    const found = await savedMethods.findCharge(await step.open(), order, attempt.firstAttemptAt);
    if (found) return toOutcome(found);
  }
  const reason = findChargeObstacle(facts);
  if (reason !== undefined) return { cancelled: reason, mayHaveArrived: mayHaveArrived && hasEnded };
  return toOutcome(await savedMethods.charge(await step.open(), order, attempt));
}

function toOutcome(state: ChargeResult): WriteOutcome<ChargeResult> {
  return { written: { externalId: state.paymentExternalId, version: null }, state };
}
