import { findPastDue } from '../../../billing/past-due.js';
import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { notFoundOutcome } from '../../../records/outcomes.js';
import { refKey, toRecordRef } from '../../../records/record-refs.js';
import { applyMove, type InvoiceRow, lockInvoices, mayMove, storeLifecycle } from './lifecycle.js';

/**
 * Marks past-due invoices overdue. An invoice that is already overdue stays unchanged, so a
 * repeated command records no event.
 */
export async function markInvoicesOverdue(tx: Transaction, commands: Command[]): Promise<CommandOutcome[]> {
  const refs = commands.map(toRecordRef);
  const [rows, pastDue] = await Promise.all([lockInvoices(tx, refs), findPastDue(tx, refs)]);
  const now = new Date().toISOString();
  const moved: InvoiceRow[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('invoice');
    if (!pastDue.has(refKey(toRecordRef(command))) || !mayMove(row, 'overdue', 'S'))
      return { ok: true, changes: [], events: [] };
    const move = applyMove(row, 'overdue', { now });
    moved.push(move.row);
    return { ok: true, changes: move.changes, events: [{ type: 'invoice.overdue' }] };
  });
  await storeLifecycle(tx, moved);
  return outcomes;
}
