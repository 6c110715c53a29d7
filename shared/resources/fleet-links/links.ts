import type { Transaction } from '../../platform/postgres/database.js';
import type { ExternalId } from '../../sync/external-ids.js';
import type { ListedTable } from '../../sync/listed/listed-tables.js';

/*
 * A link is a row of `external_ids`. Its keys allow one listed record of a connection per record
 * here, and one record here per listed record.
 */

/**
 * Returns SQL that is true if no record of the connection of `alias` is linked to the record `k`.
 */
export function isFreeSql({ linkKind }: ListedTable, alias: string): string {
  return `not exists (select from external_ids x where x.tenant_id = ${alias}.tenant_id
  and x.connection_id = ${alias}.connection_id and x.kind = '${linkKind}' and x.local_id = k.id)`;
}

/** A person's decision which record here a listed record is. */
export interface FleetLink {
  local_id: string;
  external_id: string;
}

type ConnectionRef = Pick<ExternalId, 'tenant_id' | 'connection_id'>;

/** Finds the links that have this record or this listed record of a connection, and locks them. */
export async function findLinks(
  tx: Transaction,
  { linkKind }: ListedTable,
  { tenant_id, connection_id, local_id, external_id }: ConnectionRef & FleetLink,
): Promise<FleetLink[]> {
  return tx.query<FleetLink>({
    name: 'find-fleet-links',
    text: `select x.local_id, x.external_id from external_ids x
           where x.tenant_id = $1 and x.connection_id = $2 and x.kind = $3
             and (x.local_id = $4 or x.external_id = $5) order by x.local_id for update`,
    values: [tenant_id, connection_id, linkKind, local_id, external_id],
  });
}

/** Finds the records here that are linked. Returns a map from the vendor's ids to theirs. */
export async function findLinked(
  tx: Pick<Transaction, 'query'>,
  { linkKind }: ListedTable,
  {
    tenantId,
    connectionId,
    externalIds,
  }: { tenantId: string; connectionId: string; externalIds: readonly string[] },
): Promise<Map<string, string>> {
  if (externalIds.length === 0) return new Map();
  const rows = await tx.query<FleetLink>({
    name: 'find-linked-records',
    text: `select x.external_id, x.local_id from external_ids x
           where x.tenant_id = $1 and x.connection_id = $2 and x.kind = $3 and x.external_id = any($4::text[])`,
    values: [tenantId, connectionId, linkKind, externalIds],
  });
  return new Map(rows.map(({ external_id, local_id }) => [external_id, local_id]));
}
