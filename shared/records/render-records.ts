import type { Database, SqlQuery, Transaction } from '../platform/postgres/database.js';
import { type RecordRef, recordsetSql, refKey } from './record-refs.js';
import type { ResourceTable } from './resource-table.js';
import { jsonText } from './stored-json/stored-json.js';

/**
 * Returns the JSON of records, in a map by {@link refKey}. The map omits records that do not exist.
 */
export async function renderRecords(
  tx: Transaction,
  table: ResourceTable,
  refs: RecordRef[],
): Promise<Map<string, string>> {
  const rows = await tx.query<RecordRef & { body: string }>(buildRenderQuery(table, refs));
  return new Map(rows.map((row) => [refKey(row), row.body]));
}

export function buildRenderQuery(table: ResourceTable, refs: RecordRef[]): SqlQuery {
  return {
    name: `render-${table.entityType}`,
    text: `select t.tenant_id, t.id, ${jsonText(table, 't')} as body
           from ${recordsetSql('tenant_id uuid, id uuid')} join ${table.table} t on t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(refs)],
  };
}

/**
 * Reads a record of a tenant as JSON text. Returns undefined if the record does not exist. If the
 * table stores JSON texts, the first query reads only the stored text and does not contain the
 * representation. PostgreSQL would prepare the representation even without running it, which takes
 * longer than the rest of the query.
 */
export async function readRecord(
  db: Database,
  table: ResourceTable,
  ref: RecordRef,
): Promise<string | undefined> {
  const { stored, entityType } = table;
  if (stored) {
    const query = buildReadQuery(table, { name: `read-stored-${entityType}`, sql: stored.read('t'), ref });
    const [row] = await db.read<{ body: string | null }>(ref.tenant_id, query);
    if (row?.body !== null) return row?.body;
  }
  const sql = `(${table.representation('t')})::text`;
  const query = buildReadQuery(table, { name: `read-${entityType}`, sql, ref });
  const [row] = await db.read<{ body: string }>(ref.tenant_id, query);
  return row?.body;
}

function buildReadQuery(
  { table, rowFilter }: ResourceTable,
  { name, sql, ref }: { name: string; sql: string; ref: RecordRef },
): SqlQuery {
  return {
    name,
    text: `select ${sql} as body from ${table} t
           where t.tenant_id = $1 and t.id = $2${rowFilter ? ` and t.${rowFilter}` : ''}`,
    values: [ref.tenant_id, ref.id],
  };
}
