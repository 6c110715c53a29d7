import { defineCommand } from '../../contracts/command.js';
import type { PaymentCreate, RefundCreate } from '../../contracts/generated.js';
import { paymentCreate, refundCreate } from './schema.js';

/** The input of a payment, with the invoice id from the path. */
export type InvoicePayment = PaymentCreate & { invoice_id: string };

export const createPayment = defineCommand<InvoicePayment>({
  type: 'payment.create',
  action: 'payment.created',
  creates: true,
  schema: paymentCreate,
  permission: 'write',
  conflictKeys: ({ invoice_id }) => [`entity:${invoice_id}`],
});

export const refundPayment = defineCommand<RefundCreate>({
  type: 'payment.refund',
  action: 'payment.refunded',
  schema: refundCreate,
  permission: 'approve',
});
