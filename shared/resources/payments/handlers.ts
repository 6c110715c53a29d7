import { findPastDue } from '../../billing/past-due.js';
import { formatCount } from '../../billing/phrases.js';
import type { Change, Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { RefundCreate } from '../../contracts/generated.js';
import { newId } from '../../platform/ids.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import {
  parseColumnNames,
  type RecordRef,
  recordsetSql,
  refKey,
  toRecordRef,
} from '../../records/record-refs.js';
import { renderRecords } from '../../records/render-records.js';
import {
  type InvoiceRow,
  lockInvoices,
  mayMove,
  refuseInvoiceMove,
  storeLifecycle,
} from '../invoices/handlers/lifecycle.js';
import { applyToInvoice, buildPaidEvent } from './apply-payment.js';
import type { InvoicePayment } from './commands.js';
import { paymentFields, refundFields } from './fields.js';
import { applyRefund } from './money.js';
import { recordPayments } from './record-handler.js';
import { paymentTable } from './table.js';

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
  );
  const rendering = renderRecords(
    tx,
    paymentTable,
    applied.map(({ command }) => toRecordRef(command)),
  );
  const [bodies] = await Promise.all([rendering, inserting, storing]);
  return bodies;
}

interface PaymentRow extends Row, RecordRef {
  invoice_id: string;
  amount_cents: number;
  applied_cents: number;
  refunded_cents: number;
}

/** Refunds payments. A refund may reopen the invoice. */
export async function refundPayments(
  tx: Transaction,
  commands: Command<RefundCreate>[],
): Promise<CommandOutcome[]> {
  const payments = await lockRecords<PaymentRow>(tx, 'payments', commands.map(toRecordRef));
  const refs = [...payments.values()].map((row) => ({ tenant_id: row.tenant_id, id: row.invoice_id }));
  const [invoices, pastDue] = await Promise.all([lockInvoices(tx, refs), findPastDue(tx, refs)]);
  const refunded: { command: Command<RefundCreate>; payment: PaymentRow }[] = [];
  const changedInvoices = new Map<string, InvoiceRow>();
  const outcomes = commands.map((command): CommandOutcome => {
    const payment = payments.get(refKey(toRecordRef(command)));
    if (!payment) return notFoundOutcome('payment');
    const leftCents = payment.amount_cents - payment.refunded_cents;
    if (command.input.amount_cents > leftCents) return failRefundTooLarge(leftCents);
    const key = refKey({ tenant_id: payment.tenant_id, id: payment.invoice_id });
    const invoice = invoices.get(key) as InvoiceRow;
    const next = applyRefund({ payment, invoice, isPastDue: pastDue.has(key) }, command.input.amount_cents);
    invoices.set(key, next.invoice);
    if (next.payment.applied_cents !== payment.applied_cents) changedInvoices.set(key, next.invoice);
    refunded.push({ command, payment: next.payment });
    const changes = [
      { field: 'refunded_cents', from: payment.refunded_cents, to: next.payment.refunded_cents },
      { field: 'reason', from: null, to: command.input.reason },
      ...(next.invoice.status === invoice.status
        ? []
        : [{ field: 'invoice.status', from: invoice.status, to: next.invoice.status }]),
    ];
    return { ok: true, changes, events: [] };
  });
  await Promise.all([storeRefunds(tx, refunded), storeLifecycle(tx, [...changedInvoices.values()])]);
  return outcomes;
}

function failRefundTooLarge(leftCents: number): CommandOutcome {
  const message = `amount_cents is more than is left of this payment after its refunds: ${formatCount(leftCents, 'cent')}`;
  return failedOutcome({
    code: 'validation_error',
    message: `${message}.`,
    details: [{ field: 'amount_cents', code: 'max', message }],
  });
}

async function storeRefunds(
  tx: Transaction,
  refunded: { command: Command<RefundCreate>; payment: PaymentRow }[],
): Promise<void> {
  if (refunded.length === 0) return;
  const rows = refunded.map(({ command, payment }) => ({
    ...toRecordRef(command),
    refund_id: newId(),
    ...command.input,
    applied_cents: payment.applied_cents,
    refunded_cents: payment.refunded_cents,
  }));
  await Promise.all([
    tx.query({
      name: 'refund-payments',
      text: `update payments t set applied_cents = r.applied_cents, refunded_cents = r.refunded_cents, updated_at = ${nextUpdatedAtSql('t')}
             from ${recordsetSql('tenant_id uuid, id uuid, applied_cents bigint, refunded_cents bigint')}
             where t.tenant_id = r.tenant_id and t.id = r.id`,
      values: [JSON.stringify(rows)],
    }),
    tx.query({
      name: 'insert-refunds',
      text: `insert into refunds (tenant_id, id, payment_id, ${refundFields.settableNames.join(', ')})
             select tenant_id, refund_id, id, ${refundFields.settableNames.join(', ')}
             from ${recordsetSql(`tenant_id uuid, id uuid, refund_id uuid, ${refundFields.settable}`)}`,
      values: [JSON.stringify(rows)],
    }),
  ]);
}

export const paymentHandlers: CommandHandlers = {
  'payment.create': createPayments,
  'payment.refund': refundPayments,
  'payment.record': recordPayments,
};
