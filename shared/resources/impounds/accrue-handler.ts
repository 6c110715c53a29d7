import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { refKey, toRecordRef } from '../../records/record-refs.js';
import { type ImpoundRow, lockImpounds, storeImpounds } from './impound-row.js';
import { calculateStorageStays } from './storage-stays.js';

/**
 * Updates `accrued_days` of impounds that are not released yet. The new value is the number of
 * storage days charged since arrival, including days on which the clock did not run. A second
 * command on the same day changes nothing.
 */
export async function accrueImpoundStorage(tx: Transaction, commands: Command[]): Promise<CommandOutcome[]> {
  const refs = commands.map(toRecordRef);
  const [rows, stays] = await Promise.all([
    lockImpounds(tx, refs),
    calculateStorageStays(
      tx,
      refs.map((ref) => ({ ...ref, until: null })),
    ),
  ]);
  const accrued: ImpoundRow[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const key = refKey(toRecordRef(command));
    const row = rows.get(key);
    if (!row) return notFoundOutcome('impound');
    const days = stays.get(key)?.charged_days ?? 0;
    if (row.released_at !== null || days <= row.accrued_days) return { ok: true, changes: [], events: [] };
    accrued.push({ ...row, accrued_days: days });
    const changes = [{ field: 'accrued_days', from: row.accrued_days, to: days }];
    return { ok: true, changes, events: [] };
  });
  await storeImpounds(tx, accrued);
  return outcomes;
}
