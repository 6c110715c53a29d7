import type { ListedVehicle } from '../../integrations/contract/telematics.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { parseColumnNames, recordsetSql } from '../../records/record-refs.js';
import { findEarlierIds, storeExternalIds } from '../../sync/external-ids.js';
import { selectLinkedTruck, TRUCK_KIND } from './links.js';
import { readAgain } from './read-again.js';
import { deriveVehicleId } from './vehicle-id.js';

/** Maximum number of vehicles that are kept per connection. */
export const MAX_VEHICLES = 5000;

interface ConnectionRef {
  tenantId: string;
  connectionId: string;
  /** The ids of revoked connections to the same account at the vendor. */
  earlierIds: readonly string[];
}

const COLUMNS = `tenant_id uuid, id uuid, connection_id uuid, external_id text, name text, vin text, plate text, make text, model text,
  year integer, duty_class text, listed_by uuid`;
const NAMES = parseColumnNames(COLUMNS).join(', ');
const READ_NAMES = ['name', 'vin', 'plate', 'make', 'model', 'year', 'duty_class'];

const list = (names: readonly string[], toSql: (name: string) => string) => names.map(toSql).join(', ');

/**
 * Stores a page of the vendor's vehicles. Further new vehicles are left out once the connection has
 * {@link MAX_VEHICLES}. A vehicle that is new here keeps the link that a person gave it under an
 * earlier connection to the same account.
 * @param listId identifies the read of the list, which may have several pages
 */
export async function storeVehicles(
  tx: Transaction,
  connection: ConnectionRef,
  { vehicles, listId }: { vehicles: readonly ListedVehicle[]; listId: string },
): Promise<void> {
  if (vehicles.length === 0) return;
  const { tenantId: tenant_id, connectionId: connection_id } = connection;
  const rows = [...new Map(vehicles.map((vehicle) => [vehicle.externalId, vehicle])).values()].map(
    ({ externalId: external_id, dutyClass: duty_class, ...vehicle }) => ({
      ...vehicle,
      tenant_id,
      id: deriveVehicleId(connection_id, external_id),
      connection_id,
      external_id,
      duty_class,
      listed_by: listId,
    }),
  );
  const stored = await tx.query<{ external_id: string; is_new: boolean }>({
    name: 'store-vehicles',
    text: `with known as materialized (
             select v.id from connection_vehicles v where v.tenant_id = $2 and v.connection_id = $3),
           listed as (
             select r.*, k.id is null as is_new, row_number() over (partition by k.id is null order by r.external_id) as nth
             from ${recordsetSql(COLUMNS)} left join known k on k.id = r.id)
           insert into connection_vehicles as t (${NAMES}) select ${NAMES} from listed
           where not is_new or nth <= ${MAX_VEHICLES} - (select count(*) from known) order by id
           on conflict (tenant_id, id) do update set ${list(READ_NAMES, (name) => `${name} = excluded.${name}`)},
             listed_by = excluded.listed_by, removed_at = null,
             updated_at = case when t.removed_at is null and (${list(READ_NAMES, (name) => `t.${name}`)})
               is not distinct from (${list(READ_NAMES, (name) => `excluded.${name}`)}) then t.updated_at else ${nextUpdatedAtSql('t')} end
           returning t.external_id, t.xmax = 0 as is_new`,
    values: [JSON.stringify(rows), tenant_id, connection_id],
  });
  const added = stored.filter(({ is_new }) => is_new);
  const records = added.map(({ external_id: externalId }) => ({ kind: TRUCK_KIND, externalId }));
  const earlier = await findEarlierIds(tx, connection, records);
  if (earlier.length === 0) return;
  await storeExternalIds(tx, earlier);
  await readAgain(tx, { tenant_id, connection_id });
}

/**
 * Deletes the vehicles that a complete read of the vendor's list did not find, and marks those of
 * them that are linked. Also deletes the vehicles of earlier connections to the same account.
 */
export function markRemovedVehicles(
  tx: Transaction,
  { tenantId, connectionId, earlierIds }: ConnectionRef,
  listId: string,
): void {
  tx.queryAtCommit({
    name: 'delete-unlisted-vehicles',
    text: `delete from connection_vehicles t where t.tenant_id = $1 and (
             t.connection_id = $2 and t.listed_by <> $3 and ${selectLinkedTruck('t')} is null
             or t.connection_id = any($4::uuid[]) and exists (
               select from connections c where c.tenant_id = $1 and c.id = t.connection_id and c.status = 'revoked'))`,
    values: [tenantId, connectionId, listId, earlierIds],
  });
  tx.queryAtCommit({
    name: 'mark-removed-vehicles',
    text: `update connection_vehicles t set removed_at = now(), updated_at = ${nextUpdatedAtSql('t')}
           where t.tenant_id = $1 and t.connection_id = $2 and t.listed_by <> $3 and t.removed_at is null`,
    values: [tenantId, connectionId, listId],
  });
}
