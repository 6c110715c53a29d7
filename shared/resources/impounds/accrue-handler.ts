import type { Command, Outcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { missing, refKey, refOf } from '../sets.js';
import { type ImpoundRow, lockImpounds, storeImpounds } from './impound-row.js';
import { findStays } from './stays.js';

/**
 * Updates the accrued storage days of vehicles in the yard to today. The handler calculates the
 * number from the arrival date, so the next run makes up for days on which the clock did not run. A
 * second command on the same day changes nothing.
 */
export async function accrueImpounds(tx: Transaction, commands: Command[]): Promise<Outcome[]> {
  const refs = commands.map(refOf);
  const [rows, stays] = await Promise.all([
    lockImpounds(tx, refs),
    findStays(
      tx,
      refs.map((ref) => ({ ...ref, until: null })),
    ),
  ]);
  const accrued: ImpoundRow[] = [];
  const outcomes = commands.map((command): Outcome => {
    const key = refKey(refOf(command));
    const row = rows.get(key);
    if (!row) return missing('impound');
    const days = stays.get(key)?.charged_days ?? 0;
    if (row.released_at !== null || days <= row.accrued_days) return { ok: true, changes: [], events: [] };
    accrued.push({ ...row, accrued_days: days });
    const changes = [{ field: 'accrued_days', from: row.accrued_days, to: days }];
    return { ok: true, changes, events: [] };
  });
  await storeImpounds(tx, accrued);
  return outcomes;
}
