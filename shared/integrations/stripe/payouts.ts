import type { Change } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import type { PayoutItem, PayoutState, Payouts } from '../contract/payments.js';
import { callStripe } from './api/client.js';
import { type List, pullNamed, readEach } from './api/events.js';

interface StripePayout {
  id: string;
  amount: number;
  arrival_date: number;
  automatic: boolean;
  created: number;
  failure_code: string | null;
  failure_message: string | null;
  reconciliation_status: string;
  status: string;
}

interface BalanceTransaction {
  id: string;
  amount: number;
  fee: number;
  created: number;
  description: string | null;
  type: string;
  /** The expanded object, or only its id if Stripe has deleted the object. */
  source: Source | string | null;
}

interface Source {
  id: string;
  object: string;
  payment_intent?: string | null;
}

const PAGE_SIZE = 100;

export const payouts: Payouts = {
  async readNamed(connection, hints) {
    return (await readEach<StripePayout>(connection, hints, { path: '/v1/payouts' })).map(toChange);
  },
  pull: (connection, from) => pullNamed(connection, from, { stream: 'payouts', read: payouts.readNamed }),
  async listItems(connection, { externalId, after }) {
    const { data, has_more: hasMore } = await callStripe<List<BalanceTransaction>>(connection, {
      method: 'GET',
      path: '/v1/balance_transactions',
      form: {
        payout: externalId,
        limit: PAGE_SIZE,
        starting_after: after ?? undefined,
        expand: ['data.source'],
      },
    });
    return {
      // The list also contains the payout itself, as an amount that leaves the balance. Omit it.
      items: data.filter(({ type }) => type !== 'payout').map(toItem),
      next: hasMore ? (data.at(-1)?.id ?? null) : null,
    };
  },
};

const STATUSES: Readonly<Record<string, PayoutState['status']>> = {
  in_transit: 'in_transit',
  paid: 'paid',
  failed: 'failed',
  canceled: 'canceled',
};

function toChange(payout: StripePayout): Change<PayoutState> {
  const { id, amount, arrival_date, created, failure_code, failure_message, status } = payout;
  const fields: PayoutState = {
    amountCents: amount,
    status: STATUSES[status] ?? 'pending',
    arrivalDate: new Date(arrival_date * 1000).toISOString().slice(0, 10),
    failureReason: failure_message ?? failure_code,
    items: toItemsState(payout),
    createdAt: new Date(created * 1000).toISOString(),
  };
  return { kind: 'payout', externalId: id, version: fingerprint(fields), fields };
}

/**
 * Stripe lists the items of a payout only if Stripe made the payout on a schedule, not on request.
 */
function toItemsState({ automatic, reconciliation_status: state }: StripePayout): PayoutState['items'] {
  if (!automatic || state === 'not_applicable') return 'unavailable';
  return state === 'completed' ? 'ready' : 'pending';
}

/** The type of a payout item, by the kind of its source at Stripe. */
const TYPES: Readonly<Record<string, PayoutItem['type']>> = {
  charge: 'payment',
  refund: 'refund',
  dispute: 'dispute',
};

function toItem({ id, amount, fee, created, description, type, source }: BalanceTransaction): PayoutItem {
  const named = typeof source === 'object' ? source : null;
  const itemType = TYPES[named?.object ?? ''] ?? (type.endsWith('_fee') ? 'fee' : 'other');
  return {
    externalId: id,
    type: itemType,
    amountCents: amount,
    feeCents: fee,
    description,
    paymentExternalId: named?.payment_intent ?? null,
    sourceExternalId: typeof source === 'string' ? source : (named?.id ?? null),
    createdAt: new Date(created * 1000).toISOString(),
  };
}
