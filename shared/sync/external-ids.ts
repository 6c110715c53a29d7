import type { Database, Transaction } from '../platform/postgres/database.js';
import { recordsetSql } from '../records/record-refs.js';
import { hasConnectionSql, IS_UNKNOWN_SQL } from './operation-rows.js';

export interface ExternalId {
  tenant_id: string;
  connection_id: string;
  kind: string;
  local_id: string;
  external_id: string;
  version: string | null;
  url: string | null;
}

const COLUMNS =
  'tenant_id uuid, connection_id uuid, kind text, local_id uuid, external_id text, version text, url text';
const NAMES = 'tenant_id, connection_id, kind, local_id, external_id, version, url';

/**
 * Stores the vendor's ids and versions of records, after a write or a pull. Skips an id that
 * another record of ours already has, and returns the number of skipped ids as `taken`. Throws no
 * error for them, because the vendor has already accepted the write.
 */
export async function storeExternalIds(
  tx: Transaction,
  ids: readonly ExternalId[],
): Promise<{ taken: number }> {
  if (ids.length === 0) return { taken: 0 };
  const rows = await tx.query({
    name: 'store-external-ids',
    text: `insert into external_ids (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}
           where not exists (
             select from external_ids x where x.tenant_id = r.tenant_id and x.connection_id = r.connection_id and x.kind = r.kind
               and x.external_id = r.external_id and x.local_id <> r.local_id)
           on conflict (tenant_id, connection_id, kind, local_id) do update set
             external_id = excluded.external_id, version = excluded.version,
             url = coalesce(excluded.url, external_ids.url), written_at = now()
           returning 1`,
    values: [JSON.stringify(ids)],
  });
  return { taken: ids.length - rows.length };
}

/**
 * Removes the id of a vendor's record, and returns the id of our record if there was one. Also
 * removes it from ended connections to the same account, because {@link findEarlierIds} would find
 * it there again.
 */
export async function removeExternalId(
  tx: Transaction,
  {
    tenant_id,
    connection_id,
    kind,
    external_id,
  }: Pick<ExternalId, 'tenant_id' | 'connection_id' | 'kind' | 'external_id'>,
): Promise<string | undefined> {
  const rows = await tx.query<{ local_id: string; is_present: boolean }>({
    name: 'remove-external-id',
    text: `delete from external_ids x
           where x.tenant_id = $1 and x.kind = $3 and x.external_id = $4 and x.connection_id = any (array(
             select $2::uuid union all
             select e.id from connections c join connections e on e.tenant_id = c.tenant_id and e.vendor = c.vendor
               and e.external_account = c.external_account and e.status = 'revoked'
             where c.tenant_id = $1 and c.id = $2))
           returning x.local_id, x.connection_id = $2 as is_present`,
    values: [tenant_id, connection_id, kind, external_id],
  });
  return rows.find((row) => row.is_present)?.local_id;
}

/** Finds our records for these records of a vendor. Locks the rows of external_ids. */
export async function findExternalIds(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  changes: readonly { kind: string; externalId: string }[],
): Promise<ExternalId[]> {
  return tx.query<ExternalId>({
    name: 'find-external-ids',
    text: `select x.tenant_id, x.connection_id, x.kind, x.local_id, x.external_id, x.version, x.url
           from jsonb_to_recordset($1::jsonb) as r(kind text, "externalId" text)
           join external_ids x on x.tenant_id = $2 and x.connection_id = $3 and x.kind = r.kind and x.external_id = r."externalId"
           order by x.local_id for update of x`,
    values: [
      JSON.stringify(changes.map(({ kind, externalId }) => ({ kind, externalId }))),
      tenantId,
      connectionId,
    ],
  });
}

/**
 * Finds which of our records belonged to these records of a vendor under earlier connections to the
 * same account at that vendor. If several of these connections knew a record, the newest one
 * counts. Leaves out a record that was replaced: the present or a newer connection knows our record
 * by another id.
 * @returns the ids under the present connection, without versions
 */
export async function findEarlierIds(
  tx: Transaction,
  {
    tenantId,
    connectionId,
    earlierIds,
  }: { tenantId: string; connectionId: string; earlierIds: readonly string[] },
  records: readonly { kind: string; externalId: string }[],
): Promise<ExternalId[]> {
  if (earlierIds.length === 0 || records.length === 0) return [];
  return tx.query<ExternalId>({
    name: 'find-earlier-external-ids',
    text: `select distinct on (x.kind, x.external_id) x.tenant_id, $3::uuid as connection_id, x.kind, x.local_id, x.external_id,
             null as version, x.url
           from jsonb_to_recordset($1::jsonb) as r(kind text, "externalId" text)
           join external_ids x on x.tenant_id = $2 and x.connection_id = any($4::uuid[]) and x.kind = r.kind
             and x.external_id = r."externalId"
           where not exists (
             select from external_ids o where o.tenant_id = $2 and o.kind = x.kind and o.local_id = x.local_id
               and o.external_id <> x.external_id
               and (o.connection_id = $3 or o.connection_id = any($4::uuid[]) and o.connection_id > x.connection_id))
           order by x.kind, x.external_id, x.connection_id desc`,
    values: [
      JSON.stringify(records.map(({ kind, externalId }) => ({ kind, externalId }))),
      tenantId,
      connectionId,
      earlierIds,
    ],
  });
}

/** Lets the next read of the vendor's records compare them, also if they have not changed. */
export async function forgetVersions(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  { kind, externalIds }: { kind: string; externalIds: readonly string[] },
): Promise<void> {
  await tx.query({
    name: 'forget-versions',
    text: `update external_ids x set version = null
           where x.tenant_id = $1 and x.connection_id = $2 and x.kind = $3 and x.external_id = any($4::text[])`,
    values: [tenantId, connectionId, kind, externalIds],
  });
}

/** Records that the comparison has seen these records at the vendor. */
export function markCompared(
  tx: Transaction,
  {
    tenantId,
    connectionId,
    earlierIds,
  }: { tenantId: string; connectionId: string; earlierIds: readonly string[] },
  { kind, externalIds }: { kind: string; externalIds: readonly string[] },
): void {
  tx.queryAtCommit({
    name: 'mark-compared',
    text: `update external_ids x set compared_at = now()
           where x.tenant_id = $1 and x.connection_id = any($2::uuid[]) and x.kind = $3 and x.external_id = any($4::text[])`,
    values: [tenantId, [connectionId, ...earlierIds], kind, externalIds],
  });
}

/** Reads the id and the version that a record has at the vendor. */
export async function readExternalId(
  db: Database,
  {
    tenant_id,
    connection_id,
    kind,
    local_id,
  }: Pick<ExternalId, 'tenant_id' | 'connection_id' | 'kind' | 'local_id'>,
): Promise<{ externalId: string; version: string | null } | undefined> {
  const [row] = await db.read<{ external_id: string; version: string | null }>(tenant_id, {
    name: 'read-external-id',
    text: `select x.external_id, x.version from external_ids x
           where x.tenant_id = $1 and x.connection_id = $2 and x.kind = $3 and x.local_id = $4`,
    values: [tenant_id, connection_id, kind, local_id],
  });
  return row && { externalId: row.external_id, version: row.version };
}

/** Filters the vendor's ids: returns those that belong to other records of ours. */
export async function findTakenIds(
  db: Database,
  {
    tenant_id,
    connection_id,
    kind,
    local_id,
  }: Pick<ExternalId, 'tenant_id' | 'connection_id' | 'kind' | 'local_id'>,
  externalIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db.read<{ external_id: string }>(tenant_id, {
    name: 'find-taken-ids',
    text: `select x.external_id from external_ids x where x.tenant_id = $1 and x.connection_id = $2 and x.kind = $3
             and x.local_id <> $4 and x.external_id = any($5::text[])`,
    values: [tenant_id, connection_id, kind, local_id, externalIds],
  });
  return new Set(rows.map(({ external_id }) => external_id));
}

/**
 * Filters the vendor's records: returns those for which an operation still waits or runs. An
 * unknown record may name the record here as which an operation may have written it (`localId`).
 * It is returned too while that operation waits, or if it was given up without an answer.
 */
export async function findUnwritten(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  changes: readonly { kind: string; externalId: string; localId?: string | null }[],
): Promise<Set<string>> {
  if (changes.length === 0) return new Set();
  const rows = await tx.query<{ external_id: string }>({
    name: 'find-unwritten-records',
    text: `select r."externalId" as external_id from jsonb_to_recordset($1::jsonb) as r(kind text, "externalId" text, "localId" uuid)
           left join external_ids x on x.tenant_id = $2 and x.connection_id = $3 and x.kind = r.kind and x.external_id = r."externalId"
           where exists (select from outbound_operations o where o.tenant_id = $2 and ${hasConnectionSql('o', '$3')} and o.kind = r.kind
             and o.local_id = x.local_id and o.next_at is not null)
           or x.local_id is null and exists (select from (
             select o.next_at, o.state, o.may_have_arrived from outbound_operations o
             where o.tenant_id = $2 and ${hasConnectionSql('o', '$3')} and o.kind = r.kind and o.local_id = r."localId"
             order by o.id desc limit 1) last
             where last.next_at is not null or last.state = 'dead' and last.may_have_arrived)`,
    values: [
      JSON.stringify(changes.map(({ kind, externalId, localId }) => ({ kind, externalId, localId }))),
      tenantId,
      connectionId,
    ],
  });
  return new Set(rows.map(({ external_id }) => external_id));
}

/**
 * True if a write of such records is open that the vendor may have processed without an answer that
 * is stored here. A record of the vendor that is unknown here may then be the one that was written.
 */
export async function hasUnansweredWrite(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  kinds: readonly string[],
): Promise<boolean> {
  const [row] = await tx.query<{ is_found: boolean }>({
    name: 'has-unanswered-write',
    text: `select exists (select from outbound_operations o where o.tenant_id = $1 and ${hasConnectionSql('o', '$2')}
             and o.kind = any($3::text[]) and o.next_at is not null and ${IS_UNKNOWN_SQL}) as is_found`,
    values: [tenantId, connectionId, kinds],
  });
  return row?.is_found === true;
}
