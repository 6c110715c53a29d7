import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { buildClockCommand, type ClockTarget } from '../../records/sweeps/clock-command.js';
import type { CommandSweep } from '../../records/sweeps/schedule.js';
import { findRowsRoundRobin } from '../../records/sweeps/sweep-round-robin.js';
import { announceCardExpiry } from './commands.js';
import { IS_USED_SQL } from './store.js';

/**
 * Finds cards that autopay uses and that expire this month or next month. Omits cards whose expiry
 * was already announced.
 */
async function findExpiringCards(tx: Transaction, limit: number): Promise<Command[]> {
  const month = `lpad(m.exp_year::text, 4, '0') || '-' || lpad(m.exp_month::text, 2, '0')`;
  const rows = await findRowsRoundRobin<ClockTarget>(tx, {
    name: 'sweep-expiring-cards',
    rows: `select m.tenant_id, m.id from saved_methods m
           where m.tenant_id = t.tenant_id and m.status = 'active' and m.exp_year is not null
             and make_date(m.exp_year, m.exp_month, 1) <= date_trunc('month', now() at time zone t.time_zone) + interval '1 month'
             and m.announced_expiry is distinct from ${month} and ${IS_USED_SQL}
           order by m.id`,
    limit,
  });
  return rows.map((row) => buildClockCommand(announceCardExpiry, row));
}

export const expiringCardSweep: CommandSweep = {
  name: 'announce-expiring-cards',
  everyMs: 3_600_000,
  find: findExpiringCards,
  limit: 1_000,
};
