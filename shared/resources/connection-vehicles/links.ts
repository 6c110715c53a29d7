import type { Transaction } from '../../platform/postgres/database.js';
import type { ExternalId } from '../../sync/external-ids.js';

/**
 * The kind of the rows in `external_ids` that link a truck to a vendor's vehicle. Their keys allow
 * one vehicle of a connection per truck, and one truck per vehicle.
 */
export const TRUCK_KIND = 'truck';

/** Returns SQL for the id of the truck to which the vehicle `alias` is linked. */
export function selectLinkedTruck(alias: string): string {
  return `(select x.local_id from external_ids x where x.tenant_id = ${alias}.tenant_id
    and x.connection_id = ${alias}.connection_id and x.kind = '${TRUCK_KIND}' and x.external_id = ${alias}.external_id)`;
}

const isFree = (
  alias: string,
) => `not exists (select from external_ids x where x.tenant_id = ${alias}.tenant_id
  and x.connection_id = ${alias}.connection_id and x.kind = '${TRUCK_KIND}' and x.local_id = k.id)`;

/**
 * Returns SQL for the truck that the vehicle `alias` probably is: one with its VIN, else one whose
 * unit number is its name. Trucks that are linked to another vehicle of the connection are left
 * out. Compares the usual spellings, because no index serves a comparison that ignores case.
 */
export function findProposalSql(alias: string): string {
  const find = (rank: number, matchedBy: string, condition: string) =>
    `(select k.id, k.unit_number, '${matchedBy}' as matched_by, ${rank} as rank, k.created_at from trucks k
      where k.tenant_id = ${alias}.tenant_id and ${condition} and ${isFree(alias)} order by k.created_at, k.id limit 1)`;
  const spell = (column: string) =>
    `any(array[${alias}.${column}, ${['upper', 'lower', 'initcap'].map((change) => `${change}(${alias}.${column})`).join(', ')}])`;
  return `select * from (${find(1, 'vin', `k.vin = ${spell('vin')}`)}
    union all ${find(2, 'unit_number', `k.unit_number = ${spell('name')}`)}) b order by b.rank limit 1`;
}

/** A person's decision which truck a vehicle is. */
export interface VehicleLink {
  truck_id: string;
  external_id: string;
}

type ConnectionRef = Pick<ExternalId, 'tenant_id' | 'connection_id'>;

/** Finds the links of the connection that have this truck or this vehicle, and locks them. */
export async function findLinks(
  tx: Transaction,
  { tenant_id, connection_id }: ConnectionRef,
  { truck_id, external_id }: VehicleLink,
): Promise<VehicleLink[]> {
  return tx.query<VehicleLink>({
    name: 'find-vehicle-links',
    text: `select x.local_id as truck_id, x.external_id from external_ids x
           where x.tenant_id = $1 and x.connection_id = $2 and x.kind = '${TRUCK_KIND}'
             and (x.local_id = $3 or x.external_id = $4) order by x.local_id for update`,
    values: [tenant_id, connection_id, truck_id, external_id],
  });
}

/** Finds the trucks to which vehicles are linked. Returns a map from the vendor's ids to theirs. */
export async function findLinkedTrucks(
  tx: Pick<Transaction, 'query'>,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  externalIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx.query<VehicleLink>({
    name: 'find-linked-trucks',
    text: `select x.external_id, x.local_id as truck_id from external_ids x
           where x.tenant_id = $1 and x.connection_id = $2 and x.kind = '${TRUCK_KIND}' and x.external_id = any($3::text[])`,
    values: [tenantId, connectionId, externalIds],
  });
  return new Map(rows.map(({ external_id, truck_id }) => [external_id, truck_id]));
}
