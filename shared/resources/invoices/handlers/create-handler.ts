import { checkInvoiceTotal } from '../../../billing/check-total.js';
import { type InvoicePrice, priceInvoice } from '../../../billing/money.js';
import { findTaxRates, type TaxRates } from '../../../billing/tax-rates.js';
import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { InvoiceCreate } from '../../../contracts/generated.js';
import { replacePlainDates } from '../../../documents/plain-dates.js';
import type { ErrorDetail } from '../../../platform/errors.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { diffNewRecord } from '../../../records/changes.js';
import { failedOutcome } from '../../../records/outcomes.js';
import {
  parseColumnNames,
  type RecordRef,
  recordsetSql,
  refKey,
  toRecordRef,
} from '../../../records/record-refs.js';
import { findExistingRecords, invalidReferencesOutcome } from '../../../records/references.js';
import { holdWritesOverThreshold, type PricedWrite } from '../../pending-approvals/approval-threshold.js';
import { refreshBillingStatus } from '../../work-orders/billing.js';
import { invoiceFields } from '../fields.js';
import { AGENT_TRACE_COLUMNS, createAgentTraces } from './agent-traces.js';
import { addLineTotals, buildLineItemInsert, buildLineItemRows } from './line-item-rows.js';
import { priceFromCards } from './price-from-cards.js';

/**
 * The input of a client. If the clock creates the invoice, the input also names the recurring
 * invoice.
 */
export type InvoiceInput = InvoiceCreate & { recurring_invoice_id?: string };

type CreateCommand = Command<InvoiceInput>;

interface Draft {
  command: CreateCommand;
  isFromCard: boolean;
  priced: InvoicePrice;
  taxRateBps: number;
}

export async function createInvoices(tx: Transaction, received: CreateCommand[]): Promise<CommandOutcome[]> {
  const dated = addLineTotals(await replacePlainDates(tx, received));
  const fromCard = await priceFromCards(tx, dated);
  const outcomes = new Map<string, CommandOutcome>();
  const commands: CreateCommand[] = [];
  for (const command of dated) {
    const filled = fromCard.get(command.id) ?? command;
    if ('ok' in filled) outcomes.set(command.id, filled);
    else commands.push(filled);
  }
  const [workOrders, rates] = await Promise.all([
    findExistingRecords(tx, 'work_orders', collectReferences(commands, 'work_order_id')),
    findTaxRates(
      tx,
      commands.map((command) => ({
        tenantId: command.tenantId,
        customerId: command.input.customer_id ?? null,
      })),
    ),
  ]);
  const drafts: Draft[] = [];
  for (const command of commands) {
    const draft = planDraft(command, rates, workOrders);
    if ('ok' in draft) outcomes.set(command.id, draft);
    else drafts.push({ ...draft, isFromCard: fromCard.has(command.id) });
  }
  const heldOrRefused = await applyApprovalThreshold(tx, drafts);
  const inserted = await insertDrafts(
    tx,
    drafts.filter(({ command }) => !heldOrRefused.has(command.id)),
  );
  for (const { command } of drafts) {
    const outcome =
      heldOrRefused.get(command.id) ?? toOutcome(command, inserted.has(refKey(toRecordRef(command))));
    outcomes.set(command.id, outcome);
  }
  return dated.map((command) => outcomes.get(command.id) as CommandOutcome);
}

/**
 * Holds agents' drafts that reach the approval threshold. If the invoice number of such a draft is
 * taken, the draft is refused immediately instead. Returns the outcomes of the drafts that are held
 * or refused.
 */
async function applyApprovalThreshold(
  tx: Transaction,
  drafts: Draft[],
): Promise<Map<string, CommandOutcome>> {
  const byAgents = drafts.filter(({ command }) => command.actor.type === 'agent');
  if (byAgents.length === 0) return new Map();
  return holdWritesOverThreshold(tx, byAgents.map(toPricedWrite), async (held) => {
    const ids = new Set(held.map(({ command }) => command.id));
    return findTakenNumbers(
      tx,
      byAgents.filter(({ command }) => ids.has(command.id)),
    );
  });
}

function toPricedWrite({ command, priced, isFromCard }: Draft): PricedWrite {
  const { work_order_id, customer_id, billing_email } = command.input;
  return {
    command,
    totalCents: priced.totalCents,
    workOrderId: work_order_id ?? null,
    customerId: customer_id ?? null,
    billingEmail: billing_email ?? null,
    recordVersion: null,
    isFromCard,
  };
}

/**
 * Finds the drafts whose invoice number is taken, by inserting all drafts and rolling back. The
 * insert's `on conflict` uses the unique index on the lower-cased number. Under row-level security,
 * a `select` by number would not use that index and would read every invoice of the tenant.
 */
async function findTakenNumbers(tx: Transaction, drafts: Draft[]): Promise<Map<string, CommandOutcome>> {
  const [, rows] = await Promise.all([
    tx.query({ text: 'savepoint numbers' }),
    tx.query<RecordRef>(buildInvoiceInsert(drafts)),
    tx.query({ text: 'rollback to savepoint numbers' }),
    tx.query({ text: 'release savepoint numbers' }),
  ]);
  const free = new Set(rows.map(refKey));
  const taken = drafts.filter(({ command }) => !free.has(refKey(toRecordRef(command))));
  return new Map(taken.map(({ command }) => [command.id, toOutcome(command, false)]));
}

function collectReferences(commands: CreateCommand[], member: 'customer_id' | 'work_order_id'): RecordRef[] {
  return commands.flatMap(({ tenantId, input }) => {
    const id = input[member];
    return id ? [{ tenant_id: tenantId, id }] : [];
  });
}

function planDraft(
  command: CreateCommand,
  rates: TaxRates,
  workOrders: Set<string>,
): Omit<Draft, 'isFromCard'> | CommandOutcome {
  const { input, tenantId } = command;
  const taxRateBps = rates.rateFor(tenantId, input.customer_id ?? null);
  const unknown: ErrorDetail[] = [];
  if (taxRateBps === undefined) unknown.push(unknownId('customer_id', 'customer'));
  if (input.work_order_id && !workOrders.has(refKey({ tenant_id: tenantId, id: input.work_order_id }))) {
    unknown.push(unknownId('work_order_id', 'work order'));
  }
  if (unknown.length > 0) return invalidReferencesOutcome(unknown);
  const priced = priceInvoice(input.line_items ?? [], taxRateBps ?? 0);
  const refusal = checkInvoiceTotal(priced.totalCents);
  return refusal ?? { command, priced, taxRateBps: taxRateBps ?? 0 };
}

function unknownId(field: string, label: string): ErrorDetail {
  return { field, code: 'unknown', message: `${field} is not a ${label} of this account` };
}

function toOutcome(command: CreateCommand, isInserted: boolean): CommandOutcome {
  if (!isInserted) {
    const message = `invoice_number ${command.input.invoice_number} is taken`;
    return failedOutcome({
      code: 'duplicate_invoice_number',
      message: `${message}. Numbers are unique in an account, ignoring case.`,
      details: [{ field: 'invoice_number', code: 'duplicate', message }],
    });
  }
  return {
    ok: true,
    changes: diffNewRecord(command.input as unknown as Record<string, unknown>),
    events: [{ type: 'invoice.created' }],
  };
}

/**
 * Inserts invoices with their line items, and returns the keys of the inserted ones. An invoice
 * whose number is taken is skipped.
 */
async function insertDrafts(tx: Transaction, drafts: Draft[]): Promise<Set<string>> {
  if (drafts.length === 0) return new Set();
  // All batches insert their invoices sorted by number, so that two batches cannot deadlock.
  const sorted = [...drafts].sort((a, b) => (numberKey(a) < numberKey(b) ? -1 : 1));
  const inserting = tx.query<RecordRef>(buildInvoiceInsert(sorted));
  const lines = sorted.flatMap((draft) => buildLineItemRows(draft.command, draft.priced.lineTotals));
  const insertingLines = lines.length > 0 ? tx.query(buildLineItemInsert(lines)) : undefined;
  const workOrders = sorted.flatMap(({ command: { tenantId, input } }) =>
    input.work_order_id ? [{ tenant_id: tenantId, id: input.work_order_id }] : [],
  );
  const [rows] = await Promise.all([inserting, insertingLines, refreshBillingStatus(tx, workOrders)]);
  return new Set(rows.map(refKey));
}

function numberKey({ command }: Draft): string {
  return `${command.tenantId}/${command.input.invoice_number.toLowerCase()}`;
}

const INVOICE_COLUMNS = `tenant_id uuid, id uuid, ${invoiceFields.settable}, tax_rate_bps integer, subtotal_cents bigint,
  tax_cents bigint, total_cents bigint, created_by_agent boolean, recurring_invoice_id uuid, ${AGENT_TRACE_COLUMNS}`;
const INVOICE_NAMES = parseColumnNames(INVOICE_COLUMNS).join(', ');

function buildInvoiceInsert(drafts: Draft[]) {
  const rows = drafts.map(({ command, priced, taxRateBps }) => {
    const { line_items: _lines, ...fields } = command.input;
    return {
      ...fields,
      ...toRecordRef(command),
      tax_rate_bps: taxRateBps,
      subtotal_cents: priced.subtotalCents,
      tax_cents: priced.taxCents,
      total_cents: priced.totalCents,
      created_by_agent: command.actor.type === 'agent',
      ...createAgentTraces(command.actor, command.input.billing_email),
    };
  });
  return {
    name: 'insert-invoices',
    text: `insert into invoices (${INVOICE_NAMES}) select ${INVOICE_NAMES} from ${recordsetSql(INVOICE_COLUMNS)}
           on conflict (tenant_id, lower(invoice_number)) do nothing returning tenant_id, id`,
    values: [JSON.stringify(rows)],
  };
}
