import type { Config } from '../../config/config.js';
import type { Command, CommandOutcome, EventDraft } from '../../contracts/command.js';
import type { ApprovalApprove, ApprovalReject } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { lockRecords } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { refKey, toRecordRef } from '../../records/record-refs.js';
import type { InvoiceRow } from '../invoices/handlers/lifecycle.js';
import { type ApprovalRow, hasExpired, storeApprovals } from '../pending-approvals/store.js';
import { checkContentHash, findStaleInvoice, renewApproval } from './content.js';
import { runApprovedCommand } from './run-approved.js';

/**
 * Runs the approved commands one after another, because two of them may change the same invoice or
 * take the next invoice number.
 */
export async function approveApprovals(
  tx: Transaction,
  commands: Command<ApprovalApprove>[],
  config: Config,
): Promise<CommandOutcome[]> {
  const outcomes: CommandOutcome[] = [];
  for (const command of commands) outcomes.push(await approveOne(tx, command, config));
  return outcomes;
}

async function approveOne(
  tx: Transaction,
  command: Command<ApprovalApprove>,
  config: Config,
): Promise<CommandOutcome> {
  if (command.actor.type !== 'user') return personRequired();
  const invoice = await lockApprovalInvoice(tx, command);
  const approval = (await lockRecords<ApprovalRow>(tx, 'approvals', [toRecordRef(command)])).get(
    refKey(toRecordRef(command)),
  );
  if (!approval) return notFoundOutcome('approval');
  if (!isOpen(approval)) return notOpen(approval, 'approved');
  const stale = await findStaleInvoice(tx, approval, invoice);
  if (stale) {
    // Store the current content, which the person must read before a new decision. The approval
    // stays pending.
    await storeApprovals(tx, [renewApproval(approval, stale.renewal)]);
    return stale.outcome;
  }
  return checkContentHash(command, approval) ?? runAndStore(tx, { command, approval, config });
}

async function runAndStore(
  tx: Transaction,
  { command, approval, config }: { command: Command<ApprovalApprove>; approval: ApprovalRow; config: Config },
): Promise<CommandOutcome> {
  const { ran, outcome } = await runApprovedCommand(tx, { decision: command, approval, config });
  if (!outcome.ok) {
    const findNewValue = (name: string) => outcome.error.details?.find(({ field }) => field === name)?.to;
    const [amount, payload] = [findNewValue('amount_cents'), findNewValue('payload')];
    if (outcome.error.code === 'conflict' && typeof amount === 'number')
      await storeApprovals(tx, [
        renewApproval(approval, { amount_cents: amount, ...(payload ? { payload } : {}) }),
      ]);
    return outcome;
  }
  const decided = decide(command, approval, { status: 'approved', note: command.input.note ?? null });
  await storeApprovals(tx, [{ ...decided.row, invoice_id: approval.entity_id }]);
  const events = outcome.events.map(
    (event): EventDraft => ({ ...event, entity: event.entity ?? { type: 'invoice', id: ran.entityId } }),
  );
  const approvalChanges = [
    { field: 'approval_id', from: null, to: approval.id },
    { field: 'approved_by', from: null, to: command.actor.name ?? command.actor.id },
  ];
  return {
    ok: true,
    changes: decided.changes,
    events,
    ranCommands: [{ command: ran, changes: [...outcome.changes, ...approvalChanges] }],
  };
}

/**
 * Locks the invoice of an approval. Call this function before you lock the approval. Transactions
 * that change an invoice's status also lock the invoice first, so there is no deadlock.
 */
async function lockApprovalInvoice(tx: Transaction, command: Command): Promise<InvoiceRow | undefined> {
  const [row] = await tx.query<{ record: InvoiceRow }>({
    name: 'lock-invoice-of-approval',
    text: `select to_jsonb(i) - 'stored_json' as record from approvals a
           join invoices i on i.tenant_id = a.tenant_id and i.id = a.invoice_id
           where a.tenant_id = $1 and a.id = $2 for update of i`,
    values: [command.tenantId, command.entityId],
  });
  return row?.record;
}

export async function rejectApprovals(
  tx: Transaction,
  commands: Command<ApprovalReject>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<ApprovalRow>(tx, 'approvals', commands.map(toRecordRef));
  const rejected: ApprovalRow[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    if (command.actor.type !== 'user') return personRequired();
    const approval = rows.get(refKey(toRecordRef(command)));
    if (!approval) return notFoundOutcome('approval');
    if (!isOpen(approval)) return notOpen(approval, 'rejected');
    const { row, changes } = decide(command, approval, { status: 'rejected', note: command.input.reason });
    rejected.push(row);
    return { ok: true, changes, events: [] };
  });
  await storeApprovals(tx, rejected);
  return outcomes;
}

/** Expires approvals. An approval that a person has decided keeps its status. */
export async function expireApprovals(tx: Transaction, commands: Command[]): Promise<CommandOutcome[]> {
  const rows = await lockRecords<ApprovalRow>(tx, 'approvals', commands.map(toRecordRef));
  const expired: ApprovalRow[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const approval = rows.get(refKey(toRecordRef(command)));
    if (!approval) return notFoundOutcome('approval');
    if (approval.status !== 'pending' || isOpen(approval)) return { ok: true, changes: [], events: [] };
    expired.push({ ...approval, status: 'expired' });
    return { ok: true, changes: [{ field: 'status', from: 'pending', to: 'expired' }], events: [] };
  });
  await storeApprovals(tx, expired);
  return outcomes;
}

function isOpen(approval: ApprovalRow): boolean {
  return approval.status === 'pending' && !hasExpired(approval);
}

function decide(
  command: Command,
  approval: ApprovalRow,
  { status, note }: { status: 'approved' | 'rejected'; note: string | null },
) {
  const row: ApprovalRow = {
    ...approval,
    status,
    note,
    decided_by: command.actor.id,
    decided_by_name: command.actor.name,
    decided_at: new Date().toISOString(),
  };
  const changes = [{ field: 'status', from: approval.status, to: status }];
  return { row, changes: note === null ? changes : [...changes, { field: 'note', from: null, to: note }] };
}

function personRequired(): CommandOutcome {
  return failedOutcome({
    code: 'forbidden',
    message: 'Only a signed-in person can decide on approvals. API keys and agent keys cannot.',
  });
}

/** Returns the error for a decision on an approval that is no longer open. */
function notOpen({ status, decided_by }: ApprovalRow, to: 'approved' | 'rejected'): CommandOutcome {
  const from = status === 'pending' ? 'expired' : status;
  return failedOutcome({
    code: 'invalid_status_transition',
    message: `This approval is ${from} and can no longer be ${to}.`,
    details: [{ field: 'status', from, to, allowed: [], decided_by }],
  });
}
