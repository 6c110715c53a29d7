import type { ConnectionVehicleListQuery } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { LISTED_VEHICLES } from '../../sync/listed/listed-tables.js';
import { defineFleetList } from '../fleet-links/list-linked.js';
import { connectionVehicleFields } from './fields.js';

export const listConnectionVehicles = defineFleetList<ConnectionVehicleListQuery>(
  LISTED_VEHICLES,
  connectionVehicleFields,
);

/** Counts the account's links of trucks, which are as many as its trucks or a few more. */
export async function countLinkedTrucks(tx: Pick<Transaction, 'query'>, tenantId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>({
    name: 'count-linked-trucks',
    text: `select count(*)::int as count from connections c join external_ids x
             on x.tenant_id = c.tenant_id and x.connection_id = c.id and x.kind = '${LISTED_VEHICLES.linkKind}'
           where c.tenant_id = $1 and c.kind = 'telematics' and c.status <> 'revoked'`,
    values: [tenantId],
  });
  return row?.count ?? 0;
}
