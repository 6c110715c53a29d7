import type { Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { parseColumnNames, type RecordRef, recordsetSql } from '../../records/record-refs.js';
import { findEarlierIds, storeExternalIds } from '../external-ids.js';
import { makeStreamsDue } from '../stream-rows.js';
import type { ListedTable } from './listed-tables.js';

/** Maximum number of records that are kept per connection and table. */
export const MAX_LISTED = 5000;

/** After a link, the reports of this time are read again. */
const BACK_MS = 86_400_000;

/** A listed table, and what follows from its records. */
export interface LinkedTable extends ListedTable {
  /** The streams that are read again once a record is linked. */
  linkedStreams: readonly string[];
  /** A record has the same id each time the worker reads it, so that the vendor's id names it. */
  deriveId: (connectionId: string, externalId: string) => string;
}

export interface ListedRecord {
  external_id: string;
}

interface ConnectionRef {
  tenantId: string;
  connectionId: string;
  /** The ids of revoked connections to the same account at the vendor. */
  earlierIds: readonly string[];
}

const OWN_COLUMNS = 'tenant_id uuid, id uuid, connection_id uuid, external_id text, listed_by uuid';

const list = (names: readonly string[], toSql: (name: string) => string) => names.map(toSql).join(', ');

/** Returns SQL for the id of the record here to which the listed record `alias` is linked. */
export function selectLinkedSql(linkKind: string, alias: string): string {
  return `(select x.local_id from external_ids x where x.tenant_id = ${alias}.tenant_id
    and x.connection_id = ${alias}.connection_id and x.kind = '${linkKind}' and x.external_id = ${alias}.external_id)`;
}

/**
 * Stores a page of the vendor's list. Further new records are left out once the connection has
 * {@link MAX_LISTED}. A record that is new here keeps the link that a person gave it under an
 * earlier connection to the same account. A connection that ended during the read stores nothing.
 * @param listId identifies the read of the list, which may have several pages
 */
export async function storeListed(
  tx: Transaction,
  listed: LinkedTable,
  connection: ConnectionRef,
  { records, listId }: { records: readonly ListedRecord[]; listId: string },
): Promise<void> {
  if (records.length === 0) return;
  const { table, columns, linkKind: kind } = listed;
  const { tenantId: tenant_id, connectionId: connection_id } = connection;
  const rows = [...new Map(records.map((record) => [record.external_id, record])).values()].map((record) => {
    const id = listed.deriveId(connection_id, record.external_id);
    return { ...record, tenant_id, id, connection_id, listed_by: listId };
  });
  const typed = `${OWN_COLUMNS}, ${columns}`;
  const names = parseColumnNames(typed).join(', ');
  const read = parseColumnNames(columns);
  const stored = await tx.query<{ external_id: string; is_new: boolean }>({
    name: `store-${table}`,
    text: `with known as materialized (
             select v.id from ${table} v where v.tenant_id = $2 and v.connection_id = $3),
           listed as (
             select r.*, k.id is null as is_new, row_number() over (partition by k.id is null order by r.external_id) as nth
             from ${recordsetSql(typed)} left join known k on k.id = r.id)
           insert into ${table} as t (${names}) select ${names} from listed
           where (not is_new or nth <= ${MAX_LISTED} - (select count(*) from known))
             and exists (select from connections c where c.tenant_id = $2 and c.id = $3 and c.status <> 'revoked') order by id
           on conflict (tenant_id, id) do update set ${list(read, (name) => `${name} = excluded.${name}`)},
             listed_by = excluded.listed_by, removed_at = null,
             updated_at = case when t.removed_at is null and (${list(read, (name) => `t.${name}`)})
               is not distinct from (${list(read, (name) => `excluded.${name}`)}) then t.updated_at else ${nextUpdatedAtSql('t')} end
           returning t.external_id, t.xmax = 0 as is_new`,
    values: [JSON.stringify(rows), tenant_id, connection_id],
  });
  const added = stored.filter(({ is_new }) => is_new);
  const ids = added.map(({ external_id: externalId }) => ({ kind, externalId }));
  const earlier = await findEarlierIds(tx, connection, ids);
  if (earlier.length === 0) return;
  await storeExternalIds(tx, earlier);
  await readLinkedAgain(tx, listed, { tenant_id, connection_id });
}

/**
 * Reads what the connection reports of linked records again: of vehicles the latest positions, of
 * drivers the inspections. Those of a record without a link are dropped, so they are needed once it
 * has one.
 */
export function readLinkedAgain(
  tx: Transaction,
  { linkedStreams }: LinkedTable,
  { tenant_id, connection_id: id }: { tenant_id: string; connection_id: string },
): Promise<void> {
  const since = new Date(Date.now() - BACK_MS).toISOString();
  return makeStreamsDue(
    tx,
    linkedStreams.map((stream) => ({ tenant_id, id, since, stream })),
  );
}

/**
 * Deletes the records that a complete read of the vendor's list did not find, and marks those of
 * them that are linked. Also deletes the records of earlier connections to the same account.
 */
export function markRemoved(
  tx: Transaction,
  { table, linkKind }: ListedTable,
  { tenantId, connectionId, earlierIds }: ConnectionRef,
  listId: string,
): void {
  tx.queryAtCommit({
    name: `delete-unlisted-${table}`,
    text: `delete from ${table} t where t.tenant_id = $1 and (
             t.connection_id = $2 and t.listed_by <> $3 and ${selectLinkedSql(linkKind, 't')} is null
             or t.connection_id = any($4::uuid[]) and exists (
               select from connections c where c.tenant_id = $1 and c.id = t.connection_id and c.status = 'revoked'))`,
    values: [tenantId, connectionId, listId, earlierIds],
  });
  tx.queryAtCommit({
    name: `mark-removed-${table}`,
    text: `update ${table} t set removed_at = now(), updated_at = ${nextUpdatedAtSql('t')}
           where t.tenant_id = $1 and t.connection_id = $2 and t.listed_by <> $3 and t.removed_at is null`,
    values: [tenantId, connectionId, listId],
  });
}

/** Marks a record as changed, because its representation shows the link. */
export async function touchListed(
  tx: Transaction,
  { table }: ListedTable,
  { tenant_id, id }: RecordRef,
): Promise<void> {
  await tx.query({
    name: `touch-${table}`,
    text: `update ${table} t set updated_at = ${nextUpdatedAtSql('t')} where t.tenant_id = $1 and t.id = $2`,
    values: [tenant_id, id],
  });
}

/** Deletes the drivers of connections that end, because they are personal data. */
export async function eraseListedDrivers(tx: Transaction, connections: readonly RecordRef[]): Promise<void> {
  if (connections.length === 0) return;
  await tx.query({
    name: 'erase-listed-drivers',
    text: `delete from connection_drivers t using ${recordsetSql('tenant_id uuid, id uuid')}
           where t.tenant_id = r.tenant_id and t.connection_id = r.id`,
    values: [JSON.stringify(connections)],
  });
}
