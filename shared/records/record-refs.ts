import type { Command } from '../contracts/command.js';

/**
 * Identifies a record. Handlers pass lists of references, because they read and write many records
 * at once.
 */
export interface RecordRef {
  tenant_id: string;
  id: string;
}

export function refKey(ref: RecordRef): string {
  return `${ref.tenant_id}/${ref.id}`;
}

export function toRecordRef(command: Command): RecordRef {
  return { tenant_id: command.tenantId, id: command.entityId };
}

/**
 * Returns SQL that turns the JSON array in `$1` into rows, so that one parameter passes many
 * records.
 */
export function recordsetSql(columns: string, alias = 'r'): string {
  return `json_to_recordset($1::json) as ${alias}(${columns})`;
}

/**
 * Returns the names in a list of typed columns: `customer_id uuid, lot text` gives customer_id and
 * lot.
 */
export function parseColumnNames(columns: string): string[] {
  return columns.split(',').map((column) => column.trim().split(' ')[0] as string);
}

export function indexByRef<R extends RecordRef>(rows: R[]): Map<string, R> {
  return new Map(rows.map((row) => [refKey(row), row]));
}
