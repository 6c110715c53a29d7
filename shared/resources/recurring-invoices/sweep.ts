import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { buildClockCommand, type ClockTarget } from '../../records/sweeps/clock-command.js';
import type { CommandSweep } from '../../records/sweeps/schedule.js';
import { findRowsRoundRobin } from '../../records/sweeps/sweep-round-robin.js';
import { type RecurringInvoiceRun, runRecurringInvoice } from './commands.js';

/**
 * Finds at most `limit` due recurring invoices. Returns one command for each of them, for its
 * earliest due date. After an outage, each pass therefore catches up by one date. If the next pass
 * comes before a command has run, the pass returns the same command again, which then does nothing.
 */
export async function findDueRecurringInvoices(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findRowsRoundRobin<ClockTarget & RecurringInvoiceRun>(tx, {
    name: 'sweep-recurring-invoices',
    rows: `select r.tenant_id, r.id, r.next_date::text as date from recurring_invoices r
           where r.tenant_id = t.tenant_id and r.next_date <= (now() at time zone t.time_zone)::date
           order by r.next_date, r.id`,
    limit,
  });
  return rows.map((row) => buildClockCommand(runRecurringInvoice, row, { date: row.date }));
}

export const recurringInvoiceSweep: CommandSweep = {
  name: 'create-recurring-invoices',
  everyMs: 60_000,
  find: findDueRecurringInvoices,
  // At midnight, invoices become due for all accounts in a time zone, most of them on the first of
  // a month. So one pass may find thousands.
  limit: 2_000,
};
