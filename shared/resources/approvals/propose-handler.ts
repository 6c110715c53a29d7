import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { ApprovalPropose } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { failedOutcome } from '../../records/outcomes.js';
import { type RecordRef, refKey, toRecordRef } from '../../records/record-refs.js';
import { unknownReferenceOutcome } from '../../records/references.js';
import { type InvoiceRow, lockInvoices, refuseInvoiceMove } from '../invoices/handlers/lifecycle.js';
import {
  hasExpired,
  insertApprovals,
  lockOpenApprovals,
  type NewApproval,
  storeApprovals,
  toVersion,
} from '../pending-approvals/store.js';

type ProposeCommand = Command<ApprovalPropose>;

/** The invoice statuses in which an approval can be proposed (docs/decisions.md §7). */
export const PROPOSABLE_STATUSES: readonly string[] = ['draft', 'needs_review'];

function invoiceRef({ tenantId, input }: ProposeCommand): RecordRef {
  return { tenant_id: tenantId, id: input.invoice_id };
}

/** Stores proposed approvals of invoices, without changing the invoices. */
export async function proposeApprovals(
  tx: Transaction,
  commands: ProposeCommand[],
): Promise<CommandOutcome[]> {
  const invoices = await lockInvoices(tx, commands.map(invoiceRef));
  const outcomes = new Map<string, CommandOutcome>();
  const proposals: { command: ProposeCommand; approval: NewApproval }[] = [];
  for (const command of commands) {
    const invoice = invoices.get(refKey(invoiceRef(command)));
    if (!invoice) outcomes.set(command.id, unknownReferenceOutcome('invoice_id', 'invoice'));
    else if (!PROPOSABLE_STATUSES.includes(invoice.status)) outcomes.set(command.id, notProposable(invoice));
    else proposals.push({ command, approval: approvalOf(command, invoice) });
  }
  const inserted = new Set((await storeProposals(tx, proposals)).map(refKey));
  for (const { command } of proposals) {
    const isStored = inserted.has(refKey(toRecordRef(command)));
    outcomes.set(command.id, isStored ? proposed(command) : alreadyPending());
  }
  return commands.map((command) => outcomes.get(command.id) as CommandOutcome);
}

async function storeProposals(
  tx: Transaction,
  proposals: { command: ProposeCommand; approval: NewApproval }[],
): Promise<RecordRef[]> {
  if (proposals.length === 0) return [];
  // Mark approvals past their expiry as expired, even if the clock has not done so yet. Otherwise
  // such an approval would block the new one.
  const open = await lockOpenApprovals(
    tx,
    proposals.map(({ command }) => invoiceRef(command)),
  );
  await storeApprovals(
    tx,
    open.filter(hasExpired).map((row) => ({ ...row, status: 'expired' })),
  );
  return insertApprovals(tx, proposals);
}

function approvalOf(command: ProposeCommand, invoice: InvoiceRow): NewApproval {
  const { invoice_id, justification } = command.input;
  return {
    ...toRecordRef(command),
    kind: 'invoice_approval',
    action: 'invoice.approve',
    entity_id: invoice_id,
    payload: { invoice_id, justification },
    amount_cents: invoice.total_cents,
    counted_cents: null,
    held_by: null,
    justification,
    invoice_id,
    record_version: toVersion(invoice.updated_at),
  };
}

function proposed(command: ProposeCommand): CommandOutcome {
  return {
    ok: true,
    changes: diffNewRecord(command.input as unknown as Record<string, unknown>),
    events: [],
  };
}

function notProposable(invoice: InvoiceRow): CommandOutcome {
  const allowed = PROPOSABLE_STATUSES.join(' or ');
  return refuseInvoiceMove(
    invoice,
    'approved',
    `Only an invoice in ${allowed} can be proposed; this one is ${invoice.status}.`,
  );
}

function alreadyPending(): CommandOutcome {
  const message = 'An approval of this invoice is pending already';
  return failedOutcome({
    code: 'approval_already_pending',
    message: `${message}. Wait for its decision.`,
    details: [{ field: 'invoice_id', code: 'pending', message }],
  });
}
