import type { SqlQuery, Transaction } from '../platform/postgres/database.js';
import { type RecordRef, recordsetSql, refKey } from './record-refs.js';
import type { ResourceTable } from './resource-table.js';

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

export function buildRenderQuery(
  { entityType, table, representation }: ResourceTable,
  refs: RecordRef[],
): SqlQuery {
  return {
    name: `render-${entityType}`,
    text: `select t.tenant_id, t.id, (${representation('t')})::text as body
           from ${recordsetSql('tenant_id uuid, id uuid')} join ${table} t on t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(refs)],
  };
}

export function buildReadQuery(
  { entityType, table, representation, rowFilter }: ResourceTable,
  ref: RecordRef,
): SqlQuery {
  return {
    name: `read-${entityType}`,
    text: `select (${representation('t')})::text as body from ${table} t
           where t.tenant_id = $1 and t.id = $2${rowFilter ? ` and t.${rowFilter}` : ''}`,
    values: [ref.tenant_id, ref.id],
  };
}
