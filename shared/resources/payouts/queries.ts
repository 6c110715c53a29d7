import type { PayoutItemListQuery, PayoutListQuery } from '../../contracts/generated.js';
import { LOWEST_ID } from '../../platform/ids.js';
import type { Database } from '../../platform/postgres/database.js';
import { defineList } from '../../records/lists/define-list.js';
import { payoutFields, payoutItemFields } from './fields.js';

export const listPayouts = defineList<PayoutListQuery>({
  table: 'payouts',
  fields: payoutFields,
  filters: ['connection_id', 'status'],
});

/** The query contains the payout's id from the path. */
export const listPayoutItems = defineList<PayoutItemListQuery & { payout_id: string }>({
  table: 'payout_items',
  fields: payoutItemFields,
  filters: ['payout_id', 'type'],
});

export interface UnreadPayout {
  id: string;
  provider_payout_id: string;
}

/** Finds the next payout whose items the vendor lists and the worker has not read yet. */
export async function findUnreadPayout(
  db: Database,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  { atLeast, after }: { atLeast?: string | undefined; after?: string | undefined },
): Promise<UnreadPayout | undefined> {
  const [row] = await db.read<UnreadPayout>(tenantId, {
    name: 'find-unread-payout',
    text: `select p.id, p.provider_payout_id from payouts p
           where p.tenant_id = $1 and p.connection_id = $2 and p.are_items_ready and p.items_status = 'pending'
             and p.id >= $3 and p.id > $4
           order by p.id limit 1`,
    values: [tenantId, connectionId, atLeast ?? LOWEST_ID, after ?? LOWEST_ID],
  });
  return row;
}
