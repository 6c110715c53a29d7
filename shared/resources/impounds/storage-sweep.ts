import { chargedDays } from '../../billing/storage-days.js';
import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { buildClockCommand, type ClockTarget } from '../../records/sweeps/clock-command.js';
import type { CommandSweep } from '../../records/sweeps/schedule.js';
import { findRowsRoundRobin } from '../../records/sweeps/sweep-round-robin.js';
import { accrueStorage } from './commands.js';

/**
 * Returns commands for at most `limit` impounds with storage days that have not accrued. If an
 * impound is found again before its command has run, the second command changes nothing.
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

export const storageSweep: CommandSweep = {
  name: 'accrue-storage',
  everyMs: 60_000,
  find: findDueStorageAccruals,
  // At midnight, a storage day starts for all vehicles in a time zone. So one run may find
  // thousands of due impounds.
  limit: 5_000,
};
