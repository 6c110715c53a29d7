import Joi from 'joi';
import { formatDollars } from '../../../shared/billing/phrases.js';
import { uuid } from '../../../shared/contracts/schemas/fields.js';
import { validate } from '../../../shared/contracts/schemas/validate.js';
import { AppError } from '../../../shared/platform/errors.js';
import { createPayLink } from '../../../shared/resources/pay-links/commands.js';
import { findOpenPayLink } from '../../../shared/resources/pay-links/queries.js';
import { payLinkTable } from '../../../shared/resources/pay-links/table.js';
import {
  cancelTerminalPayment,
  createTerminalPayment,
} from '../../../shared/resources/terminal-payments/commands.js';
import {
  findWorkOrderInvoice,
  type PayableInvoice,
  readWorkOrderPayment,
  readWorkOrderPayments,
  type WorkOrderPayment,
} from '../../../shared/resources/terminal-payments/work-order-queries.js';
import type { DrivenWorkOrder } from '../../../shared/resources/work-order-links/driver-queries.js';
import { waitForOpening } from '../../runtime/await-opening.js';
import type { ApiRuntime } from '../../runtime/runtime.js';
import { type DriverRequest, submitOne } from './driver-actions.js';
import type { Payments, PaymentTap, ReaderPayment } from './driver-contract.js';

const about = { id: uuid().required(), kind: Joi.string().required() };
const invoice = Joi.string().max(200).required();
const BY_KIND: Record<PaymentTap['kind'], Joi.ObjectSchema> = {
  start: Joi.object({ ...about, invoice, reader_id: uuid().required() }),
  cancel: Joi.object({ ...about, payment_id: uuid().required() }),
  pay_link: Joi.object({ ...about, invoice }),
};
const kindOnly = Joi.object({
  kind: Joi.string()
    .valid(...Object.keys(BY_KIND))
    .required(),
});

function parseTap(body: unknown): PaymentTap {
  const { kind } = validate<{ kind: PaymentTap['kind'] }>(kindOnly, body);
  return validate<PaymentTap>(BY_KIND[kind], body);
}

/**
 * Starts or cancels a payment for an invoice of the work order, or opens its page to pay online.
 * The amount is the invoice's balance at that moment. The driver cannot choose another amount.
 * @throws {AppError} never with the code `not_found`, because the page then treats its link as
 *   ended
 */
export async function takePaymentTap(request: DriverRequest, body: unknown): Promise<void> {
  const { api, workOrder } = request;
  const tap = parseTap(body);
  if (!workOrder.driver_payments)
    throw new AppError('forbidden', 'Drivers take no payments here. Call your dispatcher.');
  const ref = toRef(workOrder);
  if (tap.kind === 'cancel') {
    const payment = await readWorkOrderPayment(api.db, ref, tap.payment_id);
    if (!payment) throw new AppError('conflict', 'This payment ended a while ago.');
    return submitNow(request, { definition: cancelTerminalPayment, input: {}, tap, entityId: payment.id });
  }
  const invoiceId = await findWorkOrderInvoice(api.db, ref, tap.invoice);
  if (invoiceId === undefined)
    throw new AppError('conflict', 'This job has no such invoice any more. Look at what is due now.');
  if (tap.kind === 'pay_link') return openPayLink(request, tap, invoiceId);
  const input = { invoice_id: invoiceId, reader_id: tap.reader_id };
  return submitNow(request, { definition: createTerminalPayment, input, tap });
}

const toRef = ({ tenant_id: tenantId, id: workOrderId }: DrivenWorkOrder) => ({ tenantId, workOrderId });

interface Tapped {
  definition: Parameters<typeof submitOne>[1]['definition'];
  input: unknown;
  tap: PaymentTap;
  entityId?: string;
}

/** @throws {AppError} 503 if the command has not run in time; it may still run later */
async function submitNow(request: DriverRequest, { tap, ...submission }: Tapped): Promise<void> {
  const submitted = await submitOne(request, { ...submission, action: tap });
  if (!submitted) throw new AppError('service_unavailable', 'The service is slow. Tap again in a moment.');
}

/** Opens the page where the customer pays online, unless one is open for the same amount. */
async function openPayLink(request: DriverRequest, tap: PaymentTap, invoiceId: string): Promise<void> {
  const { api, workOrder } = request;
  const { tenant_id } = workOrder;
  if (await findOpenPayLink(api.db, { tenantId: tenant_id, invoiceId })) return;
  const input = { invoice_id: invoiceId };
  const submitted = await submitOne(request, { definition: createPayLink, input, action: tap });
  const { id } = JSON.parse(submitted?.body ?? '{}') as { id?: string };
  const body = id && (await waitForOpening(api.db, payLinkTable, { tenant_id, id }));
  const { status } = JSON.parse(body || '{}') as { status?: string };
  if (status === 'failed') throw new AppError('conflict', 'The page to pay online could not be opened.');
  if (status === undefined || status === 'opening')
    throw new AppError('service_unavailable', 'The page to pay online is not open yet.');
}

/**
 * Returns null if the account's drivers may not take payments. Also returns null if there is
 * neither a payment to show nor an invoice to pay.
 */
export async function readPayments(
  { db }: Pick<ApiRuntime, 'db'>,
  workOrder: DrivenWorkOrder,
): Promise<Payments | null> {
  if (!workOrder.driver_payments) return null;
  const { invoice: payable, readers, current } = await readWorkOrderPayments(db, toRef(workOrder));
  if (!payable && !current) return null;
  return {
    due: payable ? await showDue(db, workOrder, payable) : null,
    readers,
    current: current && showPayment(current),
  };
}

async function showDue(
  db: ApiRuntime['db'],
  { tenant_id: tenantId }: DrivenWorkOrder,
  { id: invoiceId, invoice_number, payable_cents }: PayableInvoice,
): Promise<Payments['due']> {
  return {
    invoice: invoice_number,
    amount: formatDollars(payable_cents),
    pay_url: (await findOpenPayLink(db, { tenantId, invoiceId })) ?? null,
  };
}

/** Returns the facts about a payment that the driver may see. */
export function showPayment(payment: WorkOrderPayment): ReaderPayment {
  const { id, invoice_number, reader_label, amount_cents, status, failure_reason, pretend_url } = payment;
  return {
    id,
    invoice: invoice_number,
    reader: reader_label ?? 'Pretend reader',
    amount: formatDollars(amount_cents),
    status,
    reason: failure_reason,
    is_cancelling: payment.is_cancel_requested,
    pretend_url,
  };
}
