import type { Change } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { refKey } from '../sets.js';
import { applyMove, type InvoiceRow, storeLifecycle } from './lifecycle.js';
import { findPastDue } from './past-due.js';
import { reopenedStatus } from './transitions.js';

/**
 * Reopens overdue invoices whose due date has just been moved out (decisions 3: overdue → reopened): they go back to what they were before the clock
 * found them. The rows are as they were locked; the new due dates are stored already.
 * @returns what changed, by {@link refKey}
 */
export async function reopenIfDueLater(tx: Transaction, rows: InvoiceRow[]): Promise<Map<string, Change[]>> {
  const overdue = rows.filter(({ status }) => status === 'overdue');
  if (overdue.length === 0) return new Map();
  const pastDue = await findPastDue(tx, overdue);
  const now = new Date().toISOString();
  const reopened = overdue
    .filter((row) => !pastDue.has(refKey(row)))
    .map((row) => {
      const { paid_cents: paidCents, viewed_at, released_as: releasedAs } = row;
      const to = reopenedStatus({ isPastDue: false, paidCents, isViewed: viewed_at !== null, releasedAs });
      return applyMove(row, to, { now });
    });
  await storeLifecycle(
    tx,
    reopened.map(({ row }) => row),
  );
  return new Map(reopened.map(({ row, changes }) => [refKey(row), changes]));
}
