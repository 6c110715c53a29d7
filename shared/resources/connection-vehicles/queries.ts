import type { ConnectionVehicleListQuery } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { defineList } from '../../records/lists/define-list.js';
import { connectionVehicleFields } from './fields.js';
import { selectLinkedTruck, TRUCK_KIND } from './links.js';

/**
 * Lists the vehicles of a connection, while it is not revoked. Removed ones are listed only while
 * they are linked.
 */
export const listConnectionVehicles = defineList<ConnectionVehicleListQuery>({
  table: 'connection_vehicles',
  fields: connectionVehicleFields,
  filters: ['connection_id'],
  only: `(t.removed_at is null or ${selectLinkedTruck('t')} is not null) and exists (
    select from connections c where c.tenant_id = t.tenant_id and c.id = t.connection_id and c.status <> 'revoked')`,
});

/** Counts the account's links of trucks, which are as many as its trucks or a few more. */
export async function countLinkedTrucks(tx: Pick<Transaction, 'query'>, tenantId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>({
    name: 'count-linked-trucks',
    text: `select count(*)::int as count from connections c join external_ids x
             on x.tenant_id = c.tenant_id and x.connection_id = c.id and x.kind = '${TRUCK_KIND}'
           where c.tenant_id = $1 and c.kind = 'telematics' and c.status <> 'revoked'`,
    values: [tenantId],
  });
  return row?.count ?? 0;
}
