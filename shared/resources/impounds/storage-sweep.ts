import { chargedDays } from '../../billing/storage-days.js';
import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { buildClockCommand, type ClockTarget } from '../../records/sweeps/clock-command.js';
import { findRowsRoundRobin } from '../../records/sweeps/sweep-round-robin.js';
import { accrueStorage } from './commands.js';

/**
 * Builds commands for impounds with a started day of storage that has not accrued. The accounts
 * share the limit round-robin. If a later sweep finds an impound before its first command has run,
 * the second command changes nothing.
 * @param limit maximum number of commands, which keeps one pass short
 */
export async function findDueStorageAccruals(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findRowsRoundRobin<ClockTarget>(tx, {
    name: 'sweep-storage',
    rows: `select i.tenant_id, i.id from impounds i
           where i.tenant_id = t.tenant_id and i.released_at is null and ${chargedDays('i', 'now()')} > i.accrued_days
           order by i.id`,
    limit,
  });
  return rows.map((row) => buildClockCommand(accrueStorage, row));
}
