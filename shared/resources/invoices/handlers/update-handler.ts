import { checkInvoiceTotal, checkTotalCoversPayments } from '../../../billing/check-total.js';
import { type InvoicePrice, priceInvoice } from '../../../billing/money.js';
import type { Config } from '../../../config/config.js';
import type { Change, Command, CommandOutcome } from '../../../contracts/command.js';
import type { InvoicePatch } from '../../../contracts/generated.js';
import { replacePlainDates } from '../../../documents/plain-dates.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { diffPatch } from '../../../records/changes.js';
import { nextUpdatedAtSql } from '../../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../../records/outcomes.js';
import { parseColumnNames, recordsetSql, refKey, toRecordRef } from '../../../records/record-refs.js';
import { bookInvoices } from '../../books/store.js';
import { holdWritesOverThreshold, type PricedWrite } from '../../pending-approvals/approval-threshold.js';
import { toVersion } from '../../pending-approvals/store.js';
import { invoiceFields } from '../fields.js';
import { type InvoiceStatus, PATCHABLE_STATUSES } from '../transitions.js';
import { AGENT_TRACE_COLUMNS, isAgentPriceReaddressed, updateAgentTraces } from './agent-traces.js';
import { type InvoiceRow, lockInvoices, refuseInvoiceMove } from './lifecycle.js';
import { addLineTotals, buildLineItemInsert, buildLineItemRows } from './line-item-rows.js';
import { type PatchedMove, planPatchedMoves } from './move-handler.js';
import { reopenIfDueLater } from './reopen-if-due-later.js';
import { type PlannedMove, storeInvoiceMoves, toMoveOutcome } from './store-invoices.js';

type UpdateCommand = Command<InvoicePatch>;

interface Plan {
  command: UpdateCommand;
  row: InvoiceRow;
  changes: Change[];
  priced: InvoicePrice | undefined;
}

/**
 * The only status that an agent's PATCH may contain. Agents may edit only drafts, so such a PATCH
 * repeats the status and never changes it (docs/decisions.md §3).
 */
const AGENT_STATUSES: readonly string[] = ['draft'];
/** Line items may be replaced in these statuses (docs/decisions.md §3). */
const LINES_OPEN: readonly string[] = ['draft', 'needs_review'];
/** No value may be changed in these statuses. */
const CLOSED: readonly string[] = ['void', 'cancelled'];

/** Applies each PATCH completely or not at all. */
export async function updateInvoices(
  tx: Transaction,
  received: UpdateCommand[],
  config: Config,
): Promise<CommandOutcome[]> {
  const commands = addLineTotals(await replacePlainDates<InvoicePatch>(tx, received));
  const rows = await lockInvoices(tx, commands.map(toRecordRef));
  const outcomes = new Map<string, CommandOutcome>();
  const accepted: Plan[] = [];
  for (const command of commands) {
    const plan = planUpdate(command, rows.get(refKey(toRecordRef(command))));
    if ('ok' in plan) outcomes.set(command.id, plan);
    else accepted.push(plan);
  }
  const moves = await planPatchedMoves(tx, accepted.flatMap(toPatchedMoves), config);
  const heldOrRefused = await holdWritesOverThreshold(tx, accepted.flatMap(toPricedWrites));
  const plans = accepted.filter(({ command }) => {
    const move = moves.get(command.id);
    const refusal = heldOrRefused.get(command.id) ?? (move && 'command' in move ? undefined : move);
    if (refusal) outcomes.set(command.id, refusal);
    return !refusal;
  });
  await applyPlans(tx, plans);
  await storeInvoiceMoves(
    tx,
    plans.flatMap(({ command }) => (moves.get(command.id) as PlannedMove | undefined) ?? []),
    config,
  );
  const reopened = await reopenIfDueLater(
    tx,
    plans.filter(mayReopen).map(({ row }) => row),
  );
  for (const { command, changes } of plans) {
    const move = moves.get(command.id) as PlannedMove | undefined;
    const moveResult = move ? toMoveOutcome(move) : { ok: true as const, changes: [], events: [] };
    const moveChanges = [
      ...(moveResult.ok ? moveResult.changes : []),
      ...(reopened.get(refKey(toRecordRef(command))) ?? []),
    ];
    outcomes.set(command.id, { ...moveResult, changes: [...changes, ...moveChanges] } as CommandOutcome);
  }
  return commands.map((command) => outcomes.get(command.id) as CommandOutcome);
}

/**
 * Returns an agent's edit if it counts towards the approval threshold. New line items count. A new
 * billing email counts if an agent priced the invoice.
 */
function toPricedWrites({ command, row, priced }: Plan): PricedWrite[] {
  if (command.actor.type !== 'agent') return [];
  const { billing_email: billingEmail = row.billing_email } = command.input;
  if (!priced && !isAgentPriceReaddressed(row, billingEmail)) return [];
  return [
    {
      command,
      totalCents: priced?.totalCents ?? row.total_cents,
      workOrderId: row.work_order_id,
      customerId: row.customer_id,
      billingEmail,
      recordVersion: toVersion(row.updated_at),
    },
  ];
}

/**
 * Returns the transition that the PATCH requests. The guards check the transition against the
 * billing email and line items of the same PATCH.
 */
function toPatchedMoves({ command, row }: Plan): PatchedMove[] {
  const { status, line_items, billing_email } = command.input;
  if (status === undefined || status === row.status) return [];
  return [
    {
      command,
      to: status,
      row: billing_email === undefined ? row : { ...row, billing_email },
      lineCount: line_items?.length,
    },
  ];
}

/**
 * True if the PATCH changes the due date, which may reopen the invoice. If the PATCH also sets a
 * status, that status takes precedence.
 */
function mayReopen({ command, changes }: Plan): boolean {
  return command.input.status === undefined && changes.some(({ field }) => field === 'due_date');
}

function planUpdate(command: UpdateCommand, row: InvoiceRow | undefined): Plan | CommandOutcome {
  if (!row) return notFoundOutcome('invoice');
  const { status, line_items, ...fields } = command.input;
  const refusal = checkAgent(command, row) ?? checkLock(command, row) ?? checkRequestedStatus(status, row);
  if (refusal) return refusal;
  const changes = diffPatch(row, fields);
  if (line_items === undefined) return { command, row, changes, priced: undefined };
  const priced = priceInvoice(line_items, row.tax_rate_bps);
  changes.push({ field: 'line_items', from: null, to: line_items });
  return (
    checkInvoiceTotal(priced.totalCents) ??
    checkTotalCoversPayments(row, priced.totalCents) ?? { command, row, changes, priced }
  );
}

/**
 * Returns an error if an agent edits an invoice that is not a draft, or changes the status
 * (docs/decisions.md §1, row 14).
 */
function checkAgent(command: UpdateCommand, row: InvoiceRow): CommandOutcome | undefined {
  if (command.actor.type !== 'agent') return undefined;
  const { status } = command.input;
  if (row.status === 'draft' && (!status || AGENT_STATUSES.includes(status))) return undefined;
  return failedOutcome({
    code: 'forbidden',
    message: `An agent may change drafts only, and not their status; this invoice is ${row.status}. Ask a person to change it.`,
  });
}

/**
 * Accepts the current status and the statuses that a PATCH may set. For another status, returns the
 * same error as for a transition that the table does not allow.
 */
function checkRequestedStatus(
  status: InvoiceStatus | undefined,
  row: InvoiceRow,
): CommandOutcome | undefined {
  const isSettable = status === undefined || status === row.status || PATCHABLE_STATUSES.includes(status);
  return isSettable ? undefined : refuseInvoiceMove(row, status);
}

function checkLock(command: UpdateCommand, row: InvoiceRow): CommandOutcome | undefined {
  const { status: _status, line_items, ...fields } = command.input;
  if (line_items !== undefined && !LINES_OPEN.includes(row.status)) {
    return invoiceLocked(
      'line_items',
      `Lines can be replaced in ${LINES_OPEN.join(' and ')} only; this invoice is ${row.status}.`,
    );
  }
  const [first] = Object.keys(fields);
  return first && CLOSED.includes(row.status)
    ? invoiceLocked(first, `This invoice is ${row.status} and can no longer be changed.`)
    : undefined;
}

function invoiceLocked(field: string, message: string): CommandOutcome {
  return failedOutcome({ code: 'invoice_locked', message, details: [{ field, code: 'locked', message }] });
}

async function applyPlans(tx: Transaction, plans: Plan[]): Promise<void> {
  const changed = plans.filter((plan) => plan.changes.length > 0);
  const queries: Promise<unknown>[] = [];
  if (changed.length > 0) queries.push(tx.query(buildUpdate(changed)));
  const repriced = changed.filter((plan) => plan.priced !== undefined);
  if (repriced.length > 0) queries.push(...replaceLineItems(tx, repriced));
  await Promise.all(queries);
  // Only invoices that were released are in the books.
  const released = changed.filter(({ row }) => row.released_at !== null);
  await bookInvoices(
    tx,
    released.map(({ row }) => ({ ...row, is_changed: true })),
  );
}

const UPDATED = `${invoiceFields.changeable}, subtotal_cents bigint, tax_cents bigint, total_cents bigint,
  ${AGENT_TRACE_COLUMNS}`;
const UPDATED_NAMES = parseColumnNames(UPDATED);

function buildUpdate(plans: Plan[]) {
  const rows = plans.map(({ command, row, priced }) => {
    const { status: _status, line_items: _lines, ...fields } = command.input;
    const money = priced && {
      subtotal_cents: priced.subtotalCents,
      tax_cents: priced.taxCents,
      total_cents: priced.totalCents,
    };
    const { billing_email } = fields;
    const traces = updateAgentTraces(row, {
      actor: command.actor,
      billingEmail: billing_email === undefined ? row.billing_email : billing_email,
      setsEmail: billing_email !== undefined,
      setsLines: priced !== undefined,
    });
    return { ...row, ...fields, ...money, ...traces };
  });
  return {
    name: 'update-invoices',
    text: `update invoices t set ${UPDATED_NAMES.map((name) => `${name} = r.${name}`).join(', ')}, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql(`tenant_id uuid, id uuid, ${UPDATED}`)}
           where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  };
}

function replaceLineItems(tx: Transaction, plans: Plan[]): Promise<unknown>[] {
  const deleting = tx.query({
    name: 'delete-invoice-lines',
    text: `delete from invoice_line_items l using ${recordsetSql('tenant_id uuid, id uuid')}
           where l.tenant_id = r.tenant_id and l.invoice_id = r.id`,
    values: [JSON.stringify(plans.map(({ command }) => toRecordRef(command)))],
  });
  const lines = plans.flatMap(({ command, priced }) => buildLineItemRows(command, priced?.lineTotals ?? []));
  return lines.length > 0 ? [deleting, tx.query(buildLineItemInsert(lines))] : [deleting];
}
