import { findPastDue } from '../../../billing/past-due.js';
import type { Change } from '../../../contracts/command.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { refKey } from '../../../records/record-refs.js';
import { computeReopenedStatus } from '../transitions.js';
import { applyMove, type InvoiceRow, storeLifecycle } from './lifecycle.js';

/**
 * Reopens overdue invoices that are no longer past due, because this transaction has postponed
 * their due date (docs/decisions.md §3).
 * @param rows the invoices as read before the update; the database already has the new due dates
 * @returns the changes of the reopened invoices, by {@link refKey}
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
      const to = computeReopenedStatus({
        isPastDue: false,
        paidCents,
        isViewed: viewed_at !== null,
        releasedAs,
      });
      return applyMove(row, to, { now });
    });
  await storeLifecycle(
    tx,
    reopened.map(({ row }) => row),
  );
  return new Map(reopened.map(({ row, changes }) => [refKey(row), changes]));
}
