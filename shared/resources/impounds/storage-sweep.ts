import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { type ClockTarget, clockCommand } from '../clock-command.js';
import { findInTurns } from '../sweep-turns.js';
import { accrueStorage } from './commands.js';
import { chargedDays } from './storage-days.js';

/**
 * Commands for impounds of this transaction's tenants on which a day has begun that is not charged yet. Found again before the first command has run, an
 * impound gets a second one, which changes nothing. The accounts take turns.
 * @param limit commands at most, so that one pass stays short
 */
export async function findAccruals(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findInTurns<ClockTarget>(tx, {
    name: 'sweep-storage',
    rows: `select i.tenant_id, i.id from impounds i
           where i.tenant_id = t.tenant_id and i.released_at is null and ${chargedDays('i', 'now()')} > i.accrued_days
           order by i.id`,
    limit,
  });
  return rows.map((row) => clockCommand(accrueStorage, row));
}
