import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { buildClockCommand, type ClockTarget } from '../../records/sweeps/clock-command.js';
import type { CommandSweep } from '../../records/sweeps/schedule.js';
import { findRowsRoundRobin } from '../../records/sweeps/sweep-round-robin.js';
import { IS_OPEN_SQL } from '../open-terminal-payments/store.js';
import { recordTerminalPayment } from './commands.js';

/**
 * Finds the payments on pretend readers whose time has run out. The integrations worker ends the
 * payments on real readers, because only their vendor knows whether the card was read.
 */
export async function findUntappedPayments(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findRowsRoundRobin<ClockTarget>(tx, {
    name: 'sweep-pretend-terminal-payments',
    rows: `select p.tenant_id, p.id from terminal_payments p
           where p.tenant_id = t.tenant_id and ${IS_OPEN_SQL.replaceAll('t.', 'p.')} and p.connection_id is null
             and p.expires_at <= now() order by p.expires_at, p.id`,
    limit,
  });
  return rows.map((row) =>
    buildClockCommand(recordTerminalPayment, row, {
      status: 'cancelled',
      failure_reason: 'Nobody presented a card in time.',
    }),
  );
}

export const pretendTerminalSweep: CommandSweep = {
  name: 'end-pretend-terminal-payments',
  everyMs: 15_000,
  find: findUntappedPayments,
};
