import Joi from 'joi';
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

/** What a payments vendor reports about one payment. */
export interface PaymentReport {
  invoice_id: string;
  pay_link_id: string | null;
  /** Jobs of an older release omit this member. */
  terminal_payment_id?: string | null;
  provider_payment_id: string;
  status: 'processing' | 'succeeded' | 'failed';
  amount_cents: number;
  method: 'card' | 'ach' | 'other';
  /** Null if the vendor has not stated it yet. */
  fee_cents: number | null;
  failure_reason: string | null;
  /** RFC 3339, like `observed_at`. */
  paid_at: string;
  /** When the worker read this at the vendor. */
  observed_at: string;
}

const nullableText = () => Joi.string().allow(null).required();

/** Records a payment as its vendor reports it. The integrations worker submits this command. */
export const recordPayment = defineCommand<PaymentReport>({
  type: 'payment.record',
  action: 'payment.recorded',
  schema: Joi.object({
    invoice_id: Joi.string().required(),
    pay_link_id: nullableText(),
    terminal_payment_id: Joi.string().allow(null),
    provider_payment_id: Joi.string().required(),
    status: Joi.string().required(),
    amount_cents: Joi.number().required(),
    method: Joi.string().required(),
    fee_cents: Joi.number().allow(null).required(),
    failure_reason: nullableText(),
    paid_at: Joi.string().required(),
    observed_at: Joi.string().required(),
  }),
  permission: 'write',
  conflictKeys: ({ invoice_id }) => [`entity:${invoice_id}`],
});
