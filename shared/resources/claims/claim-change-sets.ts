import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, refKey, toRecordRef } from '../../records/record-refs.js';
import { type AuditedSideEffect, auditSideEffects } from '../audit-log/audit-side-effects.js';
import { type InvoiceRow, lockInvoices, storeLifecycle } from '../invoices/handlers/lifecycle.js';
import { findLivePartners } from '../open-claims/partners.js';
import { insertClaimOperations } from '../open-claims/store.js';
import { ClaimChangeSet, type ClaimRow, lockClaims, storeClaims } from './claim-row.js';

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
  const live = await findLivePartners(tx, [...rows.values()].flatMap(toPartnerRef));
  const now = new Date().toISOString();
  return {
    findCourse: (command) => {
      const row = rows.get(refKey(toRecordRef(command)));
      if (!row) return notFoundOutcome('claim');
      const invoice = invoices.get(refKey({ tenant_id: row.tenant_id, id: row.invoice_id })) as InvoiceRow;
      const isConnected = toPartnerRef(row).some((ref) => live.has(refKey(ref)));
      return new ClaimChangeSet(row, invoice, { now, isConnected });
    },
  };
}

function toPartnerRef({ tenant_id, connection_id: id }: ClaimRow): RecordRef[] {
  return id === null ? [] : [{ tenant_id, id }];
}

/**
 * Stores the changed claims and invoices, and the writes at billing partners. Writes an audit entry
 * for each changed invoice.
 */
export async function storeClaimChangeSets(
  tx: Transaction,
  finished: readonly { command: Command; course: ClaimChangeSet }[],
): Promise<void> {
  const moved = finished.filter(({ course }) => course.changes.length > 0);
  const withMovedInvoice = moved.filter(({ course }) => course.isInvoiceChanged);
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
  await insertClaimOperations(
    tx,
    finished.flatMap(({ course: { row, operations } }) =>
      operations.map((verb) => ({
        tenant_id: row.tenant_id,
        id: row.id,
        connection_id: row.connection_id as string,
        verb,
      })),
    ),
  );
}
