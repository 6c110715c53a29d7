import type { Change, Command, Outcome } from '../../contracts/command.js';
import type { InvoicePatch } from '../../contracts/generated.js';
import type { Config } from '../../platform/config.js';
import type { Transaction } from '../../platform/postgres.js';
import { type PricedWrite, passGate } from '../approvals/gate.js';
import { versionOf } from '../approvals/store.js';
import { changesOf } from '../changes.js';
import { failed, missing, namesOf, nextUpdatedAt, recordset, refKey, refOf } from '../sets.js';
import { insertLines, lineRows } from './create-handler.js';
import { reopenIfDueLater } from './due-date.js';
import { type InvoiceRow, illegalMove, lockInvoices } from './lifecycle.js';
import { type InvoicePrice, priceInvoice } from './money.js';
import {
  makeMoves,
  moveOutcome,
  type PatchedMove,
  type PlannedMove,
  planPatchedMoves,
} from './move-handler.js';
import { movesAgentPrice, TRACE_COLUMNS, tracesAfter } from './person-required.js';
import { replacePlainDates } from './plain-dates.js';
import { paidFault, totalFault } from './total-faults.js';
import { type InvoiceStatus, PATCHABLE_STATUSES } from './transitions.js';

type UpdateCommand = Command<InvoicePatch>;

interface Plan {
  command: UpdateCommand;
  row: InvoiceRow;
  changes: Change[];
  priced: InvoicePrice | undefined;
}

/** An agent is no operator: it moves nothing (decisions 3). */
const AGENT_STATUSES: readonly string[] = ['draft'];
/** States in which the lines may still be replaced (decisions 3). */
const LINES_OPEN: readonly string[] = ['draft', 'needs_review'];
/** States in which nothing may be changed any more. */
const CLOSED: readonly string[] = ['void', 'cancelled'];

/** JSON merge of the editable fields, and replacement of the lines while the invoice is still being written. */
export async function updateInvoices(
  tx: Transaction,
  given: UpdateCommand[],
  config: Config,
): Promise<Outcome[]> {
  const commands = await replacePlainDates<InvoicePatch>(tx, given);
  const rows = await lockInvoices(tx, commands.map(refOf));
  const outcomes = new Map<string, Outcome>();
  const checked: Plan[] = [];
  for (const command of commands) {
    const plan = planOf(command, rows.get(refKey(refOf(command))));
    if ('ok' in plan) outcomes.set(command.id, plan);
    else checked.push(plan);
  }
  const moves = await planPatchedMoves(tx, checked.flatMap(patchedMove), config);
  const stopped = await passGate(tx, checked.flatMap(pricedWrite));
  const plans = checked.filter(({ command }) => {
    const move = moves.get(command.id);
    const fault = stopped.get(command.id) ?? (move && 'command' in move ? undefined : move);
    // What cannot be done whole is not done at all.
    if (fault) outcomes.set(command.id, fault);
    return !fault;
  });
  await applyPlans(tx, plans);
  await makeMoves(
    tx,
    plans.flatMap(({ command }) => (moves.get(command.id) as PlannedMove | undefined) ?? []),
  );
  const reopened = await reopenIfDueLater(
    tx,
    plans.filter(movesDueDate).map(({ row }) => row),
  );
  for (const { command, changes } of plans) {
    const move = moves.get(command.id) as PlannedMove | undefined;
    const made = move ? moveOutcome(move) : { ok: true as const, changes: [], events: [] };
    const moved = [...(made.ok ? made.changes : []), ...(reopened.get(refKey(refOf(command))) ?? [])];
    outcomes.set(command.id, { ...made, changes: [...changes, ...moved] } as Outcome);
  }
  return commands.map((command) => outcomes.get(command.id) as Outcome);
}

/** A price that an agent gives a draft, or an agent's price that it gives another payer. */
function pricedWrite({ command, row, priced }: Plan): PricedWrite[] {
  if (command.actor.type !== 'agent') return [];
  const { billing_email: billingEmail = row.billing_email } = command.input;
  if (!priced && !movesAgentPrice(row, billingEmail)) return [];
  return [
    {
      command,
      totalCents: priced?.totalCents ?? row.total_cents,
      workOrderId: row.work_order_id,
      customerId: row.customer_id,
      billingEmail,
      recordVersion: versionOf(row.updated_at),
    },
  ];
}

/** A move is checked against the invoice as the same request changes it. */
function patchedMove({ command, row }: Plan): PatchedMove[] {
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

/** A request that asks for a state as well gets that state. */
function movesDueDate({ command, changes }: Plan): boolean {
  return command.input.status === undefined && changes.some(({ field }) => field === 'due_date');
}

function planOf(command: UpdateCommand, row: InvoiceRow | undefined): Plan | Outcome {
  if (!row) return missing('invoice');
  const { status, line_items, ...fields } = command.input;
  const fault = agentFault(command, row) ?? lockFault(command, row) ?? patchFault(status, row);
  if (fault) return fault;
  const changes = changesOf(row, fields);
  if (line_items === undefined) return { command, row, changes, priced: undefined };
  const priced = priceInvoice(line_items, row.tax_rate_bps);
  changes.push({ field: 'line_items', from: null, to: line_items });
  return (
    totalFault(priced.totalCents) ?? paidFault(row, priced.totalCents) ?? { command, row, changes, priced }
  );
}

/** An agent's scope covers drafts alone (decisions 1, row 14). */
function agentFault(command: UpdateCommand, row: InvoiceRow): Outcome | undefined {
  if (command.actor.type !== 'agent') return undefined;
  const { status } = command.input;
  if (row.status === 'draft' && (!status || AGENT_STATUSES.includes(status))) return undefined;
  return failed({
    code: 'forbidden',
    message: `An agent may change drafts only, and not their status; this invoice is ${row.status}. Ask a person to change it.`,
  });
}

/** What no client may set is refused as the table's other gaps are. */
function patchFault(status: InvoiceStatus | undefined, row: InvoiceRow): Outcome | undefined {
  const isAskable = status === undefined || status === row.status || PATCHABLE_STATUSES.includes(status);
  return isAskable ? undefined : illegalMove(row, status);
}

function lockFault(command: UpdateCommand, row: InvoiceRow): Outcome | undefined {
  const { status: _status, line_items, ...fields } = command.input;
  if (line_items !== undefined && !LINES_OPEN.includes(row.status)) {
    return locked(
      'line_items',
      `Lines can be replaced in ${LINES_OPEN.join(' and ')} only; this invoice is ${row.status}.`,
    );
  }
  const [first] = Object.keys(fields);
  return first && CLOSED.includes(row.status)
    ? locked(first, `This invoice is ${row.status} and can no longer be changed.`)
    : undefined;
}

function locked(field: string, message: string): Outcome {
  return failed({ code: 'invoice_locked', message, details: [{ field, code: 'locked', message }] });
}

async function applyPlans(tx: Transaction, plans: Plan[]): Promise<void> {
  const changed = plans.filter((plan) => plan.changes.length > 0);
  const statements: Promise<unknown>[] = [];
  if (changed.length > 0) statements.push(tx.query(updateRows(changed)));
  const repriced = changed.filter((plan) => plan.priced !== undefined);
  if (repriced.length > 0) statements.push(...replaceLines(tx, repriced));
  await Promise.all(statements);
}

const UPDATED = `billing_email text, po_number text, due_date timestamptz, notes text, subtotal_cents bigint, tax_cents bigint, total_cents bigint,
  ${TRACE_COLUMNS}`;
const UPDATED_NAMES = namesOf(UPDATED);

function updateRows(plans: Plan[]) {
  const rows = plans.map(({ command, row, priced }) => {
    const { status: _status, line_items: _lines, ...fields } = command.input;
    const money = priced && {
      subtotal_cents: priced.subtotalCents,
      tax_cents: priced.taxCents,
      total_cents: priced.totalCents,
    };
    const { billing_email } = fields;
    const traces = tracesAfter(row, {
      actor: command.actor,
      billingEmail: billing_email === undefined ? row.billing_email : billing_email,
      setsEmail: billing_email !== undefined,
      setsLines: priced !== undefined,
    });
    return { ...row, ...fields, ...money, ...traces };
  });
  return {
    name: 'update-invoices',
    text: `update invoices t set ${UPDATED_NAMES.map((name) => `${name} = r.${name}`).join(', ')}, updated_at = ${nextUpdatedAt('t')}
           from ${recordset(`tenant_id uuid, id uuid, ${UPDATED}`)}
           where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  };
}

function replaceLines(tx: Transaction, plans: Plan[]): Promise<unknown>[] {
  const deleting = tx.query({
    name: 'delete-invoice-lines',
    text: `delete from invoice_line_items l using ${recordset('tenant_id uuid, id uuid')}
           where l.tenant_id = r.tenant_id and l.invoice_id = r.id`,
    values: [JSON.stringify(plans.map(({ command }) => refOf(command)))],
  });
  const lines = plans.flatMap(({ command, priced }) => lineRows(command, priced?.lineTotals ?? []));
  return lines.length > 0 ? [deleting, tx.query(insertLines(lines))] : [deleting];
}
