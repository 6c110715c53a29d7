import { findPastDue } from '../../../billing/past-due.js';
import { formatCount } from '../../../billing/phrases.js';
import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { RefundCreate } from '../../../contracts/generated.js';
import { newId } from '../../../platform/ids.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { INTEGRATIONS_QUEUE } from '../../../queues/integrations.js';
import { lockRecords } from '../../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../../records/outcomes.js';
import { type RecordRef, refKey, toRecordRef } from '../../../records/record-refs.js';
import { insertOperations } from '../../../sync/operation-rows.js';
import { findSuccessors } from '../../../sync/same-account.js';
import { type InvoiceRow, lockInvoices, storeLifecycle } from '../../invoices/handlers/lifecycle.js';
import { applyRefund } from '../money.js';
import {
  insertRefunds,
  type NewRefund,
  type RefundablePayment,
  storeRefundedAmounts,
} from '../refund-rows.js';

/** The kind of the outbound operations that pay refunds out at a vendor. */
export const REFUND_KIND = 'refund';

/**
 * Refunds payments. A refund may reopen the invoice. If a vendor took the payment, the vendor also
 * pays the refund. The refund counts immediately, and is undone if the vendor cannot pay it.
 */
export async function refundPayments(
  tx: Transaction,
  commands: Command<RefundCreate>[],
): Promise<CommandOutcome[]> {
  const payments = await lockRecords<RefundablePayment>(tx, 'payments', commands.map(toRecordRef));
  const refs = [...payments.values()].map((row) => ({ tenant_id: row.tenant_id, id: row.invoice_id }));
  const [invoices, pastDue, successors] = await Promise.all([
    lockInvoices(tx, refs),
    findPastDue(tx, refs),
    findSuccessors(tx, [...payments.values()].flatMap(toConnectionRef)),
  ]);
  const refunds: NewRefund[] = [];
  const changedPayments: RefundablePayment[] = [];
  const changedInvoices = new Map<string, InvoiceRow>();
  const outcomes = commands.map((command): CommandOutcome => {
    const payment = payments.get(refKey(toRecordRef(command)));
    if (!payment) return notFoundOutcome('payment');
    const { amount_cents, reason } = command.input;
    const leftCents = payment.status === 'succeeded' ? payment.amount_cents - payment.refunded_cents : 0;
    if (amount_cents > leftCents) return failRefundTooLarge(leftCents);
    const key = refKey({ tenant_id: payment.tenant_id, id: payment.invoice_id });
    const invoice = invoices.get(key) as InvoiceRow;
    const next = applyRefund({ payment, invoice, isPastDue: pastDue.has(key) }, amount_cents);
    invoices.set(key, next.invoice);
    if (next.payment.applied_cents !== payment.applied_cents) changedInvoices.set(key, next.invoice);
    changedPayments.push(next.payment);
    const { tenant_id, id: payment_id } = payment;
    // If the account has connected the vendor again since the payment, the newer connection pays
    // the refund.
    const connection_id = successors.get(payment.connection_id ?? '') ?? payment.connection_id;
    const status = connection_id === null ? 'succeeded' : 'pending';
    refunds.push({ tenant_id, id: newId(), payment_id, amount_cents, reason, status, connection_id });
    return {
      ok: true,
      changes: [
        { field: 'refunded_cents', from: payment.refunded_cents, to: next.payment.refunded_cents },
        { field: 'reason', from: null, to: reason },
        ...(next.invoice.status === invoice.status
          ? []
          : [{ field: 'invoice.status', from: invoice.status, to: next.invoice.status }]),
      ],
      events: [],
      ...(connection_id === null ? {} : { prompts: [{ queue: INTEGRATIONS_QUEUE, id: connection_id }] }),
    };
  });
  await Promise.all([
    storeRefundedAmounts(tx, changedPayments),
    insertRefunds(tx, refunds),
    storeLifecycle(tx, [...changedInvoices.values()]),
  ]);
  await insertOperations(tx, refunds.flatMap(planPayout));
  return outcomes;
}

function toConnectionRef({ tenant_id, connection_id: id }: RefundablePayment): RecordRef[] {
  return id === null ? [] : [{ tenant_id, id }];
}

function planPayout({ tenant_id, id: local_id, connection_id }: NewRefund) {
  if (connection_id === null) return [];
  return [{ tenant_id, connection_id, kind: REFUND_KIND, local_id, verb: 'create', is_creation: true }];
}

function failRefundTooLarge(leftCents: number): CommandOutcome {
  const message = `amount_cents is more than is left of this payment after its refunds: ${formatCount(leftCents, 'cent')}`;
  return failedOutcome({
    code: 'validation_error',
    message: `${message}.`,
    details: [{ field: 'amount_cents', code: 'max', message }],
  });
}
