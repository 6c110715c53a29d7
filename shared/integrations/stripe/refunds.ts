import type { Change } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import type { RefundState, Refunds } from '../contract/payments.js';
import { readOwnId } from '../contract/read-own-id.js';
import { callStripe } from './api/client.js';
import { listSince, pullNamed, readEach } from './api/events.js';
import { isOfInvoice, type NamedIntent, readIntentId } from './named-intent.js';

interface StripeRefund {
  id: string;
  amount: number;
  payment_intent: NamedIntent;
  status: string | null;
  failure_reason?: string;
  metadata: Record<string, string> | null;
}

export const refunds: Refunds = {
  async create(connection, { refundId, paymentExternalId, amountCents }, { operationKey }) {
    const refund = await callStripe<StripeRefund>(connection, {
      method: 'POST',
      path: '/v1/refunds',
      form: { payment_intent: paymentExternalId, amount: amountCents, metadata: { refund_id: refundId } },
      key: operationKey,
    });
    return toChange(refund);
  },
  async readNamed(connection, hints) {
    const found = await readEach<StripeRefund>(connection, hints, {
      path: '/v1/refunds',
      expand: ['payment_intent'],
    });
    return found.filter(isOfInvoice).map(toChange);
  },
  listSince: (connection, from) =>
    listSince<StripeRefund, RefundState>(connection, from, {
      path: '/v1/refunds',
      expand: ['payment_intent'],
      toChange: (one) => (isOfInvoice(one) ? toChange(one) : undefined),
    }),
  pull: (connection, from) => pullNamed(connection, from, { stream: 'refunds', read: refunds.readNamed }),
};

function toChange({
  id,
  amount,
  payment_intent,
  status,
  failure_reason,
  metadata,
}: StripeRefund): Change<RefundState> {
  const fields: RefundState = {
    refundId: readOwnId(metadata?.refund_id),
    paymentExternalId: readIntentId(payment_intent),
    status: toStatus(status),
    amountCents: amount,
    failureReason: failure_reason ?? null,
  };
  return { kind: 'refund', externalId: id, version: fingerprint(fields), fields };
}

/**
 * Counts every other status as pending: refunds that wait for the customer, and statuses that this
 * code does not know.
 */
function toStatus(status: string | null): RefundState['status'] {
  if (status === 'succeeded') return 'succeeded';
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending';
}
