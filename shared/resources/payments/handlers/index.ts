import type { Change, Command, CommandHandlers, CommandOutcome } from '../../../contracts/command.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { diffNewRecord } from '../../../records/changes.js';
import { notFoundOutcome } from '../../../records/outcomes.js';
import {
  parseColumnNames,
  type RecordRef,
  recordsetSql,
  refKey,
  toRecordRef,
} from '../../../records/record-refs.js';
import { renderRecords } from '../../../records/render-records.js';
import { bookPayments, endsCorrection } from '../../books/store.js';
import {
  type InvoiceRow,
  lockInvoices,
  mayMove,
  refuseInvoiceMove,
  storeLifecycle,
} from '../../invoices/handlers/lifecycle.js';
import type { InvoicePayment } from '../commands.js';
import { paymentFields } from '../fields.js';
import { applyToInvoice } from '../money.js';
import { buildPaidEvent } from '../paid-event.js';
import { paymentTable } from '../table.js';
import { recordPayments } from './record-handler.js';
import { refundPayments } from './refund-handler.js';

type PaymentCommand = Command<InvoicePayment>;

function invoiceRef(command: PaymentCommand): RecordRef {
  return { tenant_id: command.tenantId, id: command.input.invoice_id };
}

interface AppliedPayment {
  command: PaymentCommand;
  invoice: InvoiceRow;
  appliedCents: number;
  changes: Change[];
}

/**
 * Stores payments and applies them to their invoices. The part of a payment that exceeds the
 * balance due becomes the customer's credit (docs/decisions.md §3, Money).
 */
export async function createPayments(tx: Transaction, commands: PaymentCommand[]): Promise<CommandOutcome[]> {
  const invoices = await lockInvoices(tx, commands.map(invoiceRef));
  const outcomes = new Map<string, CommandOutcome>();
  const applied: AppliedPayment[] = [];
  for (const command of commands) {
    const result = planPayment(command, invoices);
    if ('ok' in result) outcomes.set(command.id, result);
    else applied.push(result);
  }
  const bodies = await storePayments(tx, applied);
  for (const { command, invoice, changes } of applied) {
    const payment: unknown = JSON.parse(bodies.get(refKey(toRecordRef(command))) as string);
    outcomes.set(command.id, { ok: true, changes, events: [buildPaidEvent(invoice, payment)] });
  }
  return commands.map((command) => outcomes.get(command.id) as CommandOutcome);
}

function planPayment(
  command: PaymentCommand,
  invoices: Map<string, InvoiceRow>,
): AppliedPayment | CommandOutcome {
  const row = invoices.get(refKey(invoiceRef(command)));
  if (!row) return notFoundOutcome('invoice');
  if (row.status !== 'paid' && !mayMove(row, 'paid', 'P')) {
    return refuseInvoiceMove(row, 'paid', `A payment cannot be taken on an invoice that is ${row.status}.`);
  }
  const { invoice_id: _path, ...input } = command.input;
  const receivedAt = input.received_at ?? new Date().toISOString();
  const { invoice, appliedCents, changes } = applyToInvoice(row, input.amount_cents, receivedAt);
  // Later commands in this batch must read the new amounts.
  invoices.set(refKey(row), invoice);
  return { command, invoice, appliedCents, changes: [...diffNewRecord(input), ...changes] };
}

const PAYMENT_COLUMNS = `tenant_id uuid, id uuid, invoice_id uuid, customer_id uuid, applied_cents bigint, ${paymentFields.settable}`;
const PAYMENT_NAMES = parseColumnNames(PAYMENT_COLUMNS).join(', ');

async function storePayments(tx: Transaction, applied: AppliedPayment[]): Promise<Map<string, string>> {
  if (applied.length === 0) return new Map();
  const rows = applied.map(({ command, invoice, appliedCents }) => ({
    ...command.input,
    ...toRecordRef(command),
    customer_id: invoice.customer_id,
    applied_cents: appliedCents,
  }));
  const inserting = tx.query({
    name: 'insert-payments',
    text: `insert into payments (${PAYMENT_NAMES})
           select ${PAYMENT_NAMES.replace('received_at', 'coalesce(received_at, now())')} from ${recordsetSql(PAYMENT_COLUMNS)}`,
    values: [JSON.stringify(rows)],
  });
  const storing = storeLifecycle(
    tx,
    applied.map(({ invoice }) => invoice),
    new Set(applied.flatMap(({ invoice, changes }) => (endsCorrection(changes) ? [invoice.id] : []))),
  );
  const rendering = renderRecords(
    tx,
    paymentTable,
    applied.map(({ command }) => toRecordRef(command)),
  );
  const [bodies] = await Promise.all([rendering, inserting, storing]);
  await bookPayments(
    tx,
    applied.map(({ command }) => toRecordRef(command)),
  );
  return bodies;
}

export const paymentHandlers: CommandHandlers = {
  'payment.create': createPayments,
  'payment.refund': refundPayments,
  'payment.record': recordPayments,
};
