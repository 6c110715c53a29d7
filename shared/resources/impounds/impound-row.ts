import type { Row, Transaction } from '../../platform/postgres/database.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import { parseColumnNames, type RecordRef, recordsetSql } from '../../records/record-refs.js';
import { impoundFields } from './fields.js';
import type { ImpoundStatus } from './transitions.js';

export interface ImpoundRow extends Row, RecordRef {
  status: ImpoundStatus;
  held_from: ImpoundStatus | null;
  hold_reason: string | null;
  released_at: string | null;
  accrued_days: number;
}

export function lockImpounds(tx: Transaction, refs: RecordRef[]): Promise<Map<string, ImpoundRow>> {
  return lockRecords<ImpoundRow>(tx, 'impounds', refs);
}

const UPDATED_COLUMNS = `${impoundFields.changeable}, status text, held_from text, hold_reason text, released_at timestamptz, release_kind text, released_to text,
  accrued_days integer`;

/**
 * Updates the rows, including `accrued_days`. The caller must have locked them with `lockImpounds`.
 */
export async function storeImpounds(tx: Transaction, rows: ImpoundRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'update-impounds',
    text: `update impounds t set ${parseColumnNames(UPDATED_COLUMNS)
      .map((name) => `${name} = r.${name}`)
      .join(', ')}, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql(`tenant_id uuid, id uuid, ${UPDATED_COLUMNS}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}

/**
 * Raises `accrued_days` to the days that a new invoice charges. The invoice may charge a day that
 * has just started, before the clock accrues that day.
 */
export async function raiseAccruedDays(
  tx: Transaction,
  rows: readonly { tenant_id: string; impound_id: string | null; storage_due: number }[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'catch-up-storage',
    text: `update impounds t set accrued_days = r.storage_due
           from ${recordsetSql('tenant_id uuid, impound_id uuid, storage_due integer')}
           where t.tenant_id = r.tenant_id and t.id = r.impound_id and t.released_at is null and t.accrued_days < r.storage_due`,
    values: [JSON.stringify(rows)],
  });
}
