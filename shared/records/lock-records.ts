import type { Row, Transaction } from '../platform/postgres/database.js';
import { type RecordRef, recordsetSql, refKey } from './record-refs.js';

/**
 * Locks records, and returns them in a map by {@link refKey}. Every batch locks records in id
 * order, so that two batches cannot deadlock. The query reads the rows as JSON, so that timestamps
 * remain text. It omits their stored JSON text.
 */
export async function lockRecords<R extends Row>(
  tx: Transaction,
  table: string,
  refs: RecordRef[],
): Promise<Map<string, R>> {
  const rows = await tx.query<{ record: R & RecordRef }>({
    name: `lock-${table}`,
    text: `select to_jsonb(t) - 'stored_json' as record from ${table} t
           where (t.tenant_id, t.id) in (select r.tenant_id, r.id from ${recordsetSql('tenant_id uuid, id uuid')})
           order by t.tenant_id, t.id for update`,
    values: [JSON.stringify(refs)],
  });
  return new Map(rows.map(({ record }) => [refKey(record), record]));
}

/**
 * Returns SQL for the next `updated_at` of a record. The value always increases, so it can serve as
 * the record's version (ETag). Its precision is the millisecond that clients see.
 */
export function nextUpdatedAtSql(alias: string): string {
  return `greatest(date_trunc('milliseconds', clock_timestamp()), date_trunc('milliseconds', ${alias}.updated_at) + interval '1 millisecond')`;
}
