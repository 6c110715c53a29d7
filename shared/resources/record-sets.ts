import type { Command, CommandOutcome } from '../contracts/command.js';
import type { ErrorBody, ErrorDetail } from '../platform/errors.js';
import type { Row, SqlQuery, Transaction } from '../platform/postgres.js';
import { getResourceTable } from './tables.js';

/** Reference to one record. Handlers read and write records in sets of references. */
export interface RecordRef {
  tenant_id: string;
  id: string;
}

/** Map key for (tenant, id). */
export function refKey(ref: RecordRef): string {
  return `${ref.tenant_id}/${ref.id}`;
}

export function toRecordRef(command: Command): RecordRef {
  return { tenant_id: command.tenantId, id: command.entityId };
}

/** SQL for `jsonb_to_recordset($1) as r(…)`, which passes a whole set as one parameter. */
export function recordsetSql(columns: string, alias = 'r'): string {
  return `jsonb_to_recordset($1::jsonb) as ${alias}(${columns})`;
}

/**
 * Column names of a {@link recordsetSql}: `customer_id uuid, lot text` gives customer_id and lot.
 */
export function parseColumnNames(columns: string): string[] {
  return columns.split(',').map((column) => column.trim().split(' ')[0] as string);
}

/** Indexes rows by (tenant, id). */
export function indexByRef<R extends RecordRef>(rows: R[]): Map<string, R> {
  return new Map(rows.map((row) => [refKey(row), row]));
}

/**
 * Renders records as JSON text. Records that do not exist are missing from the map.
 * @param entityType selects the table and the projection
 */
export async function renderRecords(
  tx: Transaction,
  entityType: string,
  refs: RecordRef[],
): Promise<Map<string, string>> {
  const rows = await tx.query<RecordRef & { body: string }>(buildRenderQuery(entityType, refs));
  return new Map(rows.map((row) => [refKey(row), row.body]));
}

export function buildRenderQuery(entityType: string, refs: RecordRef[]): SqlQuery {
  const { table, representation } = getResourceTable(entityType);
  return {
    name: `render-${entityType}`,
    text: `select t.tenant_id, t.id, (${representation('t')})::text as body
           from ${recordsetSql('tenant_id uuid, id uuid')} join ${table} t on t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(refs)],
  };
}

/** Builds the query that reads one record of one tenant as JSON text. */
export function buildReadQuery(entityType: string, ref: RecordRef): SqlQuery {
  const { table, representation, rowFilter } = getResourceTable(entityType);
  return {
    name: `read-${entityType}`,
    text: `select (${representation('t')})::text as body from ${table} t
           where t.tenant_id = $1 and t.id = $2${rowFilter ? ` and t.${rowFilter}` : ''}`,
    values: [ref.tenant_id, ref.id],
  };
}

/**
 * Locks and reads the rows that a set of commands changes. Every batch locks in the same sequence,
 * so that two batches cannot deadlock. Values come as JSON, so timestamps keep their text.
 */
export async function lockRecords<R extends Row>(
  tx: Transaction,
  table: string,
  refs: RecordRef[],
): Promise<Map<string, R>> {
  const rows = await tx.query<{ record: R & RecordRef }>({
    name: `lock-${table}`,
    text: `select to_jsonb(t) as record from ${table} t
           where (t.tenant_id, t.id) in (select r.tenant_id, r.id from ${recordsetSql('tenant_id uuid, id uuid')})
           order by t.tenant_id, t.id for update`,
    values: [JSON.stringify(refs)],
  });
  return new Map(rows.map(({ record }) => [refKey(record), record]));
}

/**
 * SQL for the next `updated_at` of a row. It has millisecond precision, as clients see it, and
 * always increases, so it can serve as the record's version (ETag).
 */
export function nextUpdatedAtSql(alias: string): string {
  return `greatest(date_trunc('milliseconds', clock_timestamp()), date_trunc('milliseconds', ${alias}.updated_at) + interval '1 millisecond')`;
}

export function failedOutcome(error: ErrorBody): CommandOutcome {
  return { ok: false, error };
}

export function notFoundOutcome(resourceLabel: string): CommandOutcome {
  return failedOutcome({
    code: 'not_found',
    message: `No such ${resourceLabel}. Check the id and that it belongs to this account.`,
  });
}

/**
 * The refusal of a body with unknown ids. An unknown id inside a body is a 400
 * (docs/decisions.md §5).
 */
export function invalidReferencesOutcome(details: ErrorDetail[]): CommandOutcome {
  return failedOutcome({
    code: 'validation_error',
    message: `${details[0]?.message ?? 'An id is unknown'}.`,
    details,
  });
}

/** Returns the keys of the referenced records that exist in their tenant. */
export async function findExistingRecords(
  tx: Transaction,
  table: string,
  refs: RecordRef[],
): Promise<Set<string>> {
  if (refs.length === 0) return new Set();
  const rows = await tx.query<RecordRef>({
    name: `exists-${table}`,
    text: `select t.tenant_id, t.id from ${recordsetSql('tenant_id uuid, id uuid')}
           join ${table} t on t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(refs)],
  });
  return new Set(rows.map(refKey));
}
