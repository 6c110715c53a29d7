import { IS_PAST_DUE } from '../../billing/past-due.js';
import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { buildClockCommand, type ClockTarget } from '../../records/sweeps/clock-command.js';
import type { CommandSweep } from '../../records/sweeps/schedule.js';
import { buildRoundRobinSql } from '../../records/sweeps/sweep-round-robin.js';
import { markInvoiceOverdue } from './commands.js';
import { INVOICE_MOVES } from './transitions.js';

/** The statuses from which the clock may move an invoice to overdue, as SQL literals. */
const SWEPT_STATUSES = Object.entries(INVOICE_MOVES)
  .filter(([, moves]) => moves.some(({ to, by }) => to === 'overdue' && by.includes('S')))
  .map(([status]) => `'${status}'`);

/** SQL condition on `invoices i`: the status allows the clock to mark the invoice overdue. */
export const CAN_BECOME_OVERDUE = `i.status in (${SWEPT_STATUSES.join(', ')})`;

/**
 * SQL condition on `invoices i`: {@link CAN_BECOME_OVERDUE}, except invoices in `sent_to_roadsync`
 * whose motor-club claim is submitted or accepted. The text must match the condition of the partial
 * indexes, or PostgreSQL does not use them.
 */
const IS_SWEPT = `${CAN_BECOME_OVERDUE} and not (i.status = 'sent_to_roadsync' and i.is_with_club)`;

/** Maximum number of invoices that one pass reads per account and range. */
const MAX_PER_TENANT = 256;

/**
 * A margin for days on which the clocks go forward. {@link RANGES} counts every day as 24 hours,
 * but such a day may have only 22. Without the margin, an invoice could be due before a range
 * contains it.
 */
const DST_MARGIN = "interval '3 hours'";

/**
 * SQL conditions for ranges that together contain every past-due invoice ({@link IS_PAST_DUE}) and
 * few others. Each range has its own index, so a sweep reads only newly due invoices, however many
 * invoices are open. The indexed columns do not depend on the account's time zone, grace days or
 * terms, so changing these settings rewrites no rows.
 * The range `due_date` contains the due dates whose grace days are over. It ends at the start of
 * the day that was `grace_days` days ago, in the account's time zone.
 */
const RANGES: Readonly<Record<string, string>> = {
  due_date: `i.due_date is not null
    and i.due_date < ((now() at time zone t.time_zone)::date - t.grace_days)::timestamp at time zone t.time_zone`,
  own_terms_due_at: `i.due_date is null and i.own_terms_due_at is not null
    and i.own_terms_due_at <= now() + ${DST_MARGIN} - interval '24 hours' * t.grace_days`,
  released_at: `i.due_date is null and i.own_terms_due_at is null
    and i.released_at <= now() + ${DST_MARGIN} - interval '24 hours' * (t.terms_days + t.grace_days)`,
};

const CANDIDATES = Object.entries(RANGES).map(
  ([column, range]) => `
    (select i.tenant_id, i.id from invoices i left join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id
     where i.tenant_id = t.tenant_id and ${IS_SWEPT} and ${range} and ${IS_PAST_DUE}
     order by i.${column} limit ${MAX_PER_TENANT})`,
);

/**
 * Returns commands for at most `limit` past-due invoices. If an invoice is found again before its
 * command has run, the second command changes nothing.
 */
export async function findOverdueInvoices(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await tx.query<ClockTarget>({
    name: 'sweep-overdue',
    text: `${buildRoundRobinSql(CANDIDATES.join(' union all '))} limit $1`,
    values: [limit],
  });
  return rows.map((row) => buildClockCommand(markInvoiceOverdue, row));
}

export const overdueSweep: CommandSweep = {
  name: 'mark-overdue',
  everyMs: 30_000,
  find: findOverdueInvoices,
  // At midnight, many invoices of a time zone become overdue at once, so one run may find
  // thousands.
  limit: 2_000,
};
