import type { PayoutItemListQuery, PayoutListQuery } from '../../contracts/generated.js';
import type { Database, SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { payoutFields, payoutItemFields } from './fields.js';

export function listPayouts(query: PayoutListQuery, scope: ListScope): SqlQuery {
  return buildListQuery({
    table: 'payouts',
    representation: payoutFields.representation('t'),
    conditions: new Conditions()
      .add('t.tenant_id = ?', scope.tenantId)
      .addEqual(query, 'connection_id', 'status'),
    limit: query.limit,
    position: scope.position,
  });
}

/** @param query with the payout from the path */
export function listPayoutItems(
  query: PayoutItemListQuery & { payout_id: string },
  scope: ListScope,
): SqlQuery {
  return buildListQuery({
    table: 'payout_items',
    representation: payoutItemFields.representation('t'),
    conditions: new Conditions().add('t.tenant_id = ?', scope.tenantId).addEqual(query, 'payout_id', 'type'),
    limit: query.limit,
    position: scope.position,
  });
}

export interface UnreadPayout {
  id: string;
  provider_payout_id: string;
}

/** Finds the next payout whose items can be read and are not read yet. */
export async function findUnreadPayout(
  db: Database,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  { atLeast, after }: { atLeast?: string | undefined; after?: string | undefined },
): Promise<UnreadPayout | undefined> {
  const [row] = await db.read<UnreadPayout>(tenantId, {
    name: 'find-unread-payout',
    text: `select p.id, p.provider_payout_id from payouts p
           where p.tenant_id = $1 and p.connection_id = $2 and p.are_items_ready and p.items_status = 'pending'
             and ($3::uuid is null or p.id >= $3) and ($4::uuid is null or p.id > $4)
           order by p.id limit 1`,
    values: [tenantId, connectionId, atLeast ?? null, after ?? null],
  });
  return row;
}
