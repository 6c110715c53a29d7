import type { Command, EventDraft, Outcome } from '../../contracts/command.js';
import type { ApprovalApprove, ApprovalReject } from '../../contracts/generated.js';
import type { Config } from '../../platform/config.js';
import type { Transaction } from '../../platform/postgres.js';
import type { InvoiceRow } from '../invoices/lifecycle.js';
import { failed, lockRecords, missing, refKey, refOf } from '../sets.js';
import { hashFault, renewed, staleRecord } from './content.js';
import { runApproved } from './run-approved.js';
import { type ApprovalRow, isOver, storeApprovals } from './store.js';

/**
 * Runs approvals in sequence, because two of a set may concern the same invoice or invoice number.
 */
export async function approveApprovals(
  tx: Transaction,
  commands: Command<ApprovalApprove>[],
  config: Config,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const command of commands) outcomes.push(await approveOne(tx, command, config));
  return outcomes;
}

async function approveOne(
  tx: Transaction,
  command: Command<ApprovalApprove>,
  config: Config,
): Promise<Outcome> {
  if (command.actor.type !== 'user') return personRequired();
  const invoice = await lockApprovalInvoice(tx, command);
  const approval = (await lockRecords<ApprovalRow>(tx, 'approvals', [refOf(command)])).get(
    refKey(refOf(command)),
  );
  if (!approval) return missing('approval');
  if (!isOpen(approval)) return notOpen(approval, 'approved');
  const stale = await staleRecord(tx, approval, invoice);
  if (stale) {
    // The approval stays pending with the current content, for the person to read again.
    await storeApprovals(tx, [renewed(approval, stale.renewal)]);
    return stale.outcome;
  }
  return hashFault(command, approval) ?? runAndStore(tx, { command, approval, config });
}

async function runAndStore(
  tx: Transaction,
  { command, approval, config }: { command: Command<ApprovalApprove>; approval: ApprovalRow; config: Config },
): Promise<Outcome> {
  const { ran, outcome } = await runApproved(tx, { decision: command, approval, config });
  if (!outcome.ok) {
    const findNewValue = (name: string) => outcome.error.details?.find(({ field }) => field === name)?.to;
    const [amount, payload] = [findNewValue('amount_cents'), findNewValue('payload')];
    if (outcome.error.code === 'conflict' && typeof amount === 'number')
      await storeApprovals(tx, [
        renewed(approval, { amount_cents: amount, ...(payload ? { payload } : {}) }),
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
    ran: { command: ran, changes: [...outcome.changes, ...approvalChanges] },
  };
}

/**
 * Locks the invoice before the approval is locked. Status changes of an invoice lock in the same
 * sequence.
 */
async function lockApprovalInvoice(tx: Transaction, command: Command): Promise<InvoiceRow | undefined> {
  const [row] = await tx.query<{ record: InvoiceRow }>({
    name: 'lock-invoice-of-approval',
    text: `select to_jsonb(i) as record from approvals a
           join invoices i on i.tenant_id = a.tenant_id and i.id = a.invoice_id
           where a.tenant_id = $1 and a.id = $2 for update of i`,
    values: [command.tenantId, command.entityId],
  });
  return row?.record;
}

/** Rejects pending approvals. What they propose never runs. */
export async function rejectApprovals(
  tx: Transaction,
  commands: Command<ApprovalReject>[],
): Promise<Outcome[]> {
  const rows = await lockRecords<ApprovalRow>(tx, 'approvals', commands.map(refOf));
  const rejected: ApprovalRow[] = [];
  const outcomes = commands.map((command): Outcome => {
    if (command.actor.type !== 'user') return personRequired();
    const approval = rows.get(refKey(refOf(command)));
    if (!approval) return missing('approval');
    if (!isOpen(approval)) return notOpen(approval, 'rejected');
    const { row, changes } = decide(command, approval, { status: 'rejected', note: command.input.reason });
    rejected.push(row);
    return { ok: true, changes, events: [] };
  });
  await storeApprovals(tx, rejected);
  return outcomes;
}

/** Expires the approvals that the clock found, unless a decision came first. */
export async function expireApprovals(tx: Transaction, commands: Command[]): Promise<Outcome[]> {
  const rows = await lockRecords<ApprovalRow>(tx, 'approvals', commands.map(refOf));
  const expired: ApprovalRow[] = [];
  const outcomes = commands.map((command): Outcome => {
    const approval = rows.get(refKey(refOf(command)));
    if (!approval) return missing('approval');
    if (approval.status !== 'pending' || isOpen(approval)) return { ok: true, changes: [], events: [] };
    expired.push({ ...approval, status: 'expired' });
    return { ok: true, changes: [{ field: 'status', from: 'pending', to: 'expired' }], events: [] };
  });
  await storeApprovals(tx, expired);
  return outcomes;
}

function isOpen(approval: ApprovalRow): boolean {
  return approval.status === 'pending' && !isOver(approval);
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
    decided_at: new Date().toISOString(),
  };
  const changes = [{ field: 'status', from: approval.status, to: status }];
  return { row, changes: note === null ? changes : [...changes, { field: 'note', from: null, to: note }] };
}

function personRequired(): Outcome {
  return failed({
    code: 'forbidden',
    message: 'Only a signed-in person can decide on approvals. API keys and agent keys cannot.',
  });
}

/** An approval is decided once. A decided, expired or cancelled approval keeps its status. */
function notOpen({ status, decided_by }: ApprovalRow, to: 'approved' | 'rejected'): Outcome {
  const from = status === 'pending' ? 'expired' : status;
  return failed({
    code: 'invalid_status_transition',
    message: `This approval is ${from} and can no longer be ${to}.`,
    details: [{ field: 'status', from, to, allowed: [], decided_by }],
  });
}
