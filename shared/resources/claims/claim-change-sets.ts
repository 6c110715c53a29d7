import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { refKey, toRecordRef } from '../../records/record-refs.js';
import { type AuditedSideEffect, auditSideEffects } from '../audit-log/audit-side-effects.js';
import { type InvoiceRow, lockInvoices, storeLifecycle } from '../invoices/handlers/lifecycle.js';
import { ClaimChangeSet, lockClaims, storeClaims } from './claim-row.js';

/**
 * Locks the claims that commands change, then the invoices of these claims. All commands lock in
 * this sequence, so that they cannot deadlock.
 */
export async function lockClaimChangeSets(
  tx: Transaction,
  commands: readonly Command[],
): Promise<{ findCourse: (command: Command) => ClaimChangeSet | CommandOutcome }> {
  const rows = await lockClaims(tx, commands.map(toRecordRef));
  const refs = [...rows.values()].map((row) => ({ tenant_id: row.tenant_id, id: row.invoice_id }));
  const invoices = await lockInvoices(tx, refs);
  const now = new Date().toISOString();
  return {
    findCourse: (command) => {
      const row = rows.get(refKey(toRecordRef(command)));
      if (!row) return notFoundOutcome('claim');
      const invoice = invoices.get(refKey({ tenant_id: row.tenant_id, id: row.invoice_id })) as InvoiceRow;
      return new ClaimChangeSet(row, invoice, now);
    },
  };
}

/** Stores the changed claims and invoices. Writes an audit entry for each changed invoice. */
export async function storeClaimChangeSets(
  tx: Transaction,
  finished: readonly { command: Command; course: ClaimChangeSet }[],
): Promise<void> {
  const moved = finished.filter(({ course }) => course.changes.length > 0);
  const withMovedInvoice = moved.filter(({ course }) =>
    course.changes.some(({ field }) => field.startsWith('invoice.')),
  );
  const entries = withMovedInvoice.map(
    ({ command, course }): AuditedSideEffect => ({
      command,
      entityType: 'invoice',
      entityId: course.invoice.id,
      action: 'invoice.updated',
      changes: course.changes
        .filter(({ field }) => field.startsWith('invoice.'))
        .map((change) => ({ ...change, field: change.field.slice('invoice.'.length) })),
    }),
  );
  await Promise.all([
    storeClaims(
      tx,
      moved.map(({ course }) => course.row),
    ),
    storeLifecycle(
      tx,
      withMovedInvoice.map(({ course }) => course.invoice),
    ),
    auditSideEffects(tx, entries),
  ]);
}
