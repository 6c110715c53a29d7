import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { buildClockCommand, type ClockTarget } from '../../records/sweeps/clock-command.js';
import type { CommandSweep } from '../../records/sweeps/schedule.js';
import { findRowsRoundRobin } from '../../records/sweeps/sweep-round-robin.js';
import { expireClubOffer } from './commands.js';

/** Finds the offers whose time to answer has passed. */
export async function findUnansweredOffers(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findRowsRoundRobin<ClockTarget>(tx, {
    name: 'sweep-club-offers',
    rows: `select o.tenant_id, o.id from club_offers o
           where o.tenant_id = t.tenant_id and o.status = 'received' and o.respond_by <= now() order by o.respond_by, o.id`,
    limit,
  });
  return rows.map((row) => buildClockCommand(expireClubOffer, row));
}

export const clubOfferSweep: CommandSweep = {
  name: 'expire-club-offers',
  everyMs: 2_000,
  find: findUnansweredOffers,
};
