import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { type ClockTarget, clockCommand } from '../clock-command.js';
import { takeTurns } from '../sweep-turns.js';
import { markInvoiceOverdue } from './commands.js';
import { IS_PAST_DUE } from './past-due.js';
import { INVOICE_MOVES } from './transitions.js';

/** States that the clock may move to overdue, from the table. */
const SWEPT = Object.entries(INVOICE_MOVES)
  .filter(([, moves]) => moves.some(({ to, by }) => to === 'overdue' && by.includes('S')))
  .map(([status]) => `'${status}'`);

/** SQL: invoices that the clock may find overdue, over `i` invoices. */
export const IS_OPEN = `i.status in (${SWEPT.join(', ')})`;

/**
 * SQL: of them those that do not lie with a motor club. As in the partial indexes, or these would
 * not be used.
 */
const IS_SWEPT = `${IS_OPEN} and not (i.status = 'sent_to_roadsync' and i.is_with_club)`;

/** Invoices of one account that a pass looks at in each range. */
const PER_TENANT = 256;

/**
 * Terms count days of the account's zone. The ranges count 24 hours, and the day on which a zone's
 * clocks go forward is up to two hours shorter: they reach this much further.
 */
const CLOCKS_FORWARD = "interval '3 hours'";

/**
 * Where to search for invoices that may be past due, each range in an index of its own. They hold
 * every invoice of which {@link IS_PAST_DUE} is true and few others, so a sweep reads what is newly
 * due however many are open. Midnight of the last day that is past due bounds the first: a due
 * date's day has ended, grace included, when it lies before that midnight. No range depends on
 * stored settings, so a change of time zone, grace or terms counts at once and rewrites nothing.
 */
const RANGES: Readonly<Record<string, string>> = {
  due_date: `i.due_date is not null
    and i.due_date < ((now() at time zone t.time_zone)::date - t.grace_days)::timestamp at time zone t.time_zone`,
  own_terms_due_at: `i.due_date is null and i.own_terms_due_at is not null
    and i.own_terms_due_at <= now() + ${CLOCKS_FORWARD} - interval '24 hours' * t.grace_days`,
  released_at: `i.due_date is null and i.own_terms_due_at is null
    and i.released_at <= now() + ${CLOCKS_FORWARD} - interval '24 hours' * (t.terms_days + t.grace_days)`,
};

const CANDIDATES = Object.entries(RANGES).map(
  ([column, range]) => `
    (select i.tenant_id, i.id from invoices i left join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id
     where i.tenant_id = t.tenant_id and ${IS_SWEPT} and ${range} and ${IS_PAST_DUE}
     order by i.${column} limit ${PER_TENANT})`,
);

/**
 * Commands for invoices of this transaction's tenants that have crossed their threshold. Found
 * again before the first command has run, an invoice gets a second one, which changes nothing. The
 * accounts take turns, so one with many does not keep the others waiting.
 * @param limit commands at most, so that one pass stays short
 */
export async function findOverdue(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await tx.query<ClockTarget>({
    name: 'sweep-overdue',
    text: `${takeTurns(CANDIDATES.join(' union all '))} limit $1`,
    values: [limit],
  });
  return rows.map((row) => clockCommand(markInvoiceOverdue, row));
}
