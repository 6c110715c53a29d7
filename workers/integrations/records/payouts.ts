import type { PullStart } from '../../../shared/integrations/contract/connection.js';
import type { PayoutItem, PayoutState } from '../../../shared/integrations/contract/payments.js';
import { newId } from '../../../shared/platform/ids.js';
import {
  type PayoutItemReport,
  type PayoutReport,
  recordPayout,
  recordPayoutItems,
} from '../../../shared/resources/payouts/commands.js';
import { findUnreadPayout } from '../../../shared/resources/payouts/queries.js';
import type { Step } from '../vendor/step.js';
import { getPayments } from './pay-links.js';
import type { RecordKind } from './record-kind.js';

/** The members of a record kind that has no writes. */
const READ_ONLY = {
  write: () => Promise.reject(new Error('payouts are not written by operations')),
  storeAcceptance: () => undefined,
  buildSuccess: () => [],
  buildFailure: () => [],
};

/**
 * The record kind `payout`. A read finds the payouts that the vendor has sent to the account's
 * bank.
 */
export const payoutRecords: RecordKind<PayoutState> = {
  ...READ_ONLY,
  pull: async (step, from) => getPayments(step).payouts.pull(await step.open(), from),
  readNamed: async (step, hints) => getPayments(step).payouts.readNamed(await step.open(), hints),
  adopt: () => newId(),
  buildChanges(changes) {
    const observedAt = new Date().toISOString();
    return changes.map(({ change: { externalId, fields }, id }) => ({
      type: recordPayout.type,
      entityId: id.local_id,
      input: toReport(externalId, fields, observedAt),
    }));
  },
};

function toReport(externalId: string, fields: PayoutState, observedAt: string): PayoutReport {
  const { amountCents, status, arrivalDate, failureReason, items, createdAt } = fields;
  return {
    provider_payout_id: externalId,
    amount_cents: amountCents,
    status,
    arrival_date: arrivalDate,
    failure_reason: failureReason,
    items,
    created_at: createdAt,
    observed_at: observedAt,
  };
}

/** One page of a payout's items. */
interface ItemsPage {
  payoutId: string;
  items: PayoutItem[];
  isLast: boolean;
}

/**
 * The position at which reading continues: in the payout `payoutId` after the item `after`, or
 * after the payout `done`.
 */
interface ItemsPlace {
  payoutId?: string;
  after?: string;
  done?: string;
}

/**
 * The record kind of the stream `payout_items`. The stream reads the items of payouts page by page,
 * so even a large payout takes little memory.
 */
export const payoutItemRecords: RecordKind<ItemsPage> = {
  ...READ_ONLY,
  pull: readItems,
  adopt: ({ fields: { payoutId } }) => payoutId,
  buildChanges: (changes) =>
    changes.map(({ change: { fields }, id }) => ({
      type: recordPayoutItems.type,
      entityId: id.local_id,
      input: { items: fields.items.map(toItemReport), is_last: fields.isLast },
    })),
};

async function readItems(step: Step, { cursor, since }: PullStart) {
  const place = cursor === null || since !== null ? {} : (JSON.parse(cursor) as ItemsPlace);
  const { payoutId: atLeast, done } = place;
  const payout = await findUnreadPayout(step.db, step.connection, { atLeast, after: done });
  if (!payout) return { changes: [], cursor: '{}', isLast: true };
  const { id: payoutId, provider_payout_id: externalId } = payout;
  const after = payoutId === atLeast ? (place.after ?? null) : null;
  const { items, next } = await getPayments(step).payouts.listItems(await step.open(), { externalId, after });
  const nextPlace: ItemsPlace = next === null ? { done: payoutId } : { payoutId, after: next };
  const page: ItemsPage = { payoutId, items, isLast: next === null };
  const change = {
    kind: 'payout_items',
    externalId: `${externalId}/${after ?? ''}`,
    // A new version makes the worker store the page even if it was stored before. Storing an item
    // twice has no effect.
    version: newId(),
    fields: page,
  };
  return { changes: [change], cursor: JSON.stringify(nextPlace), isLast: false };
}

function toItemReport(item: PayoutItem): PayoutItemReport {
  return {
    provider_item_id: item.externalId,
    type: item.type,
    amount_cents: item.amountCents,
    fee_cents: item.feeCents,
    description: item.description,
    provider_payment_id: item.paymentExternalId,
    provider_source_id: item.sourceExternalId,
    created_at: item.createdAt,
  };
}
