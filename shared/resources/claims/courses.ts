import type { Command, Outcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { type AlsoAudited, auditAlso } from '../audit-also.js';
import { type InvoiceRow, lockInvoices, storeLifecycle } from '../invoices/lifecycle.js';
import { missing, refKey, refOf } from '../sets.js';
import { ClaimCourse, lockClaims, storeClaims } from './claim-row.js';

/** Locks the claims of commands with their invoices: claims first, in every command that needs both. */
export async function lockCourses(
  tx: Transaction,
  commands: readonly Command[],
): Promise<{ courseOf: (command: Command) => ClaimCourse | Outcome }> {
  const rows = await lockClaims(tx, commands.map(refOf));
  const refs = [...rows.values()].map((row) => ({ tenant_id: row.tenant_id, id: row.invoice_id }));
  const invoices = await lockInvoices(tx, refs);
  const now = new Date().toISOString();
  return {
    courseOf: (command) => {
      const row = rows.get(refKey(refOf(command)));
      if (!row) return missing('claim');
      const invoice = invoices.get(refKey({ tenant_id: row.tenant_id, id: row.invoice_id })) as InvoiceRow;
      return new ClaimCourse(row, invoice, now);
    },
  };
}

/** Stores what courses changed, claims and invoices, with an audit entry for each invoice that went along. */
export async function storeCourses(
  tx: Transaction,
  made: readonly { command: Command; course: ClaimCourse }[],
): Promise<void> {
  const moved = made.filter(({ course }) => course.changes.length > 0);
  const along = moved.filter(({ course }) =>
    course.changes.some(({ field }) => field.startsWith('invoice.')),
  );
  const entries = along.map(
    ({ command, course }): AlsoAudited => ({
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
      along.map(({ course }) => course.invoice),
    ),
    auditAlso(tx, entries),
  ]);
}
