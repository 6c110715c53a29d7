import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { buildClockCommand, type ClockTarget } from '../../records/sweeps/clock-command.js';
import type { CommandSweep } from '../../records/sweeps/schedule.js';
import { findRowsRoundRobin } from '../../records/sweeps/sweep-round-robin.js';
import { expireApproval } from './commands.js';

/**
 * Finds approvals that are past their expiry. If an approval is found again before its command has
 * run, the second command does nothing.
 */
export async function findExpiredApprovals(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findRowsRoundRobin<ClockTarget>(tx, {
    name: 'sweep-expired-approvals',
    rows: `select a.tenant_id, a.id from approvals a
           where a.tenant_id = t.tenant_id and a.status = 'pending' and a.expires_at <= now() order by a.expires_at`,
    limit,
  });
  return rows.map((row) => buildClockCommand(expireApproval, row));
}

/** Expires approvals that no person decided in time. */
export const approvalSweep: CommandSweep = {
  name: 'expire-approvals',
  everyMs: 30_000,
  find: findExpiredApprovals,
};
