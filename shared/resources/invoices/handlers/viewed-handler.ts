import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { notFoundOutcome } from '../../../records/outcomes.js';
import { refKey, toRecordRef } from '../../../records/record-refs.js';
import { isChangedByView } from '../transitions.js';
import { applyMove, type InvoiceRow, lockInvoices, mayMove, storeLifecycle } from './lifecycle.js';

/**
 * Records the customer's first view. If a payment, the clock or a dispute has already changed the
 * status, the handler keeps that status.
 */
export async function markInvoicesViewed(tx: Transaction, commands: Command[]): Promise<CommandOutcome[]> {
  const rows = await lockInvoices(tx, commands.map(toRecordRef));
  const now = new Date().toISOString();
  const moved: InvoiceRow[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('invoice');
    if (mayMove(row, 'viewed', 'P')) {
      const move = applyMove(row, 'viewed', { now });
      moved.push(move.row);
      return { ok: true, changes: move.changes, events: [] };
    }
    if (!isChangedByView(row.status, row.viewed_at !== null)) return { ok: true, changes: [], events: [] };
    moved.push({ ...row, viewed_at: now });
    return { ok: true, changes: [{ field: 'viewed_at', from: null, to: now }], events: [] };
  });
  await storeLifecycle(tx, moved);
  return outcomes;
}
