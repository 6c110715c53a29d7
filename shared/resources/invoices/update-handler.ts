import type { Change, Command, Outcome } from '../../contracts/command.js';
import type { InvoicePatch } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres.js';
import { changesOf } from '../changes.js';
import { failed, lockRecords, missing, recordset, refKey, refOf } from '../sets.js';
import { insertLines, lineRows, totalFault } from './create-handler.js';
import { type InvoicePrice, priceInvoice } from './money.js';

type UpdateCommand = Command<InvoicePatch>;

interface InvoiceRow extends Row {
  tenant_id: string;
  id: string;
  status: string;
  tax_rate_bps: number;
  created_by_agent: boolean;
}

interface Plan {
  command: UpdateCommand;
  row: InvoiceRow;
  changes: Change[];
  priced: InvoicePrice | undefined;
}

/** States in which the lines may still be replaced (decisions 3). */
const LINES_OPEN: readonly string[] = ['draft', 'needs_review'];
/** States in which nothing may be changed any more. */
const CLOSED: readonly string[] = ['void', 'cancelled'];

/** JSON merge of the editable fields, and replacement of the lines while the invoice is still being written. */
export async function updateInvoices(tx: Transaction, commands: UpdateCommand[]): Promise<Outcome[]> {
  const rows = await lockRecords<InvoiceRow>(tx, 'invoices', commands.map(refOf));
  const outcomes = new Map<string, Outcome>();
  const plans: Plan[] = [];
  for (const command of commands) {
    const plan = planOf(command, rows.get(refKey(refOf(command))));
    if ('ok' in plan) outcomes.set(command.id, plan);
    else plans.push(plan);
  }
  await applyPlans(tx, plans);
  for (const { command, changes } of plans) outcomes.set(command.id, { ok: true, changes, events: [] });
  return commands.map((command) => outcomes.get(command.id) as Outcome);
}

function planOf(command: UpdateCommand, row: InvoiceRow | undefined): Plan | Outcome {
  if (!row) return missing('invoice');
  const { status, line_items, ...fields } = command.input;
  const fault = agentFault(command, row) ?? statusFault(status, row) ?? lockFault(command, row);
  if (fault) return fault;
  const changes = changesOf(row, fields);
  if (line_items === undefined) return { command, row, changes, priced: undefined };
  const priced = priceInvoice(line_items, row.tax_rate_bps);
  changes.push({ field: 'line_items', from: null, to: line_items });
  return totalFault(priced.totalCents) ?? { command, row, changes, priced };
}

/** An agent's scope covers drafts alone (decisions 1, row 14). */
function agentFault(command: UpdateCommand, row: InvoiceRow): Outcome | undefined {
  if (command.actor.type !== 'agent' || row.status === 'draft') return undefined;
  return failed({
    code: 'forbidden',
    message: `An agent may change drafts only; this invoice is ${row.status}. Ask a person to change it.`,
  });
}

/** Asking for the state it is in changes nothing; every other move belongs to the lifecycle. */
function statusFault(status: string | undefined, row: InvoiceRow): Outcome | undefined {
  if (status === undefined || status === row.status) return undefined;
  return failed({
    code: 'invalid_status_transition',
    message: `An invoice cannot go from ${row.status} to ${status} by this request.`,
    details: [{ field: 'status', from: row.status, to: status, allowed: [] }],
  });
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

function updateRows(plans: Plan[]) {
  const rows = plans.map(({ command, row, priced }) => {
    const { status: _status, line_items: _lines, ...fields } = command.input;
    const money = priced && {
      subtotal_cents: priced.subtotalCents,
      tax_cents: priced.taxCents,
      total_cents: priced.totalCents,
    };
    return { ...row, ...fields, ...money };
  });
  return {
    name: 'update-invoices',
    text: `update invoices t set billing_email = r.billing_email, po_number = r.po_number, due_date = r.due_date, notes = r.notes,
             subtotal_cents = r.subtotal_cents, tax_cents = r.tax_cents, total_cents = r.total_cents, updated_at = now()
           from ${recordset(
             `tenant_id uuid, id uuid, billing_email text, po_number text, due_date timestamptz, notes text, subtotal_cents bigint,
              tax_cents bigint, total_cents bigint`,
           )}
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
