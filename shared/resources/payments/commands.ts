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

/** A payments vendor's report about one payment. */
export interface PaymentReport {
  invoice_id: string;
  pay_link_id: string | null;
  /** Processes of an older release omit this member. */
  terminal_payment_id?: string | null;
  provider_payment_id: string;
  status: 'processing' | 'succeeded' | 'failed';
  amount_cents: number;
  method: 'card' | 'ach' | 'other';
  /** Null if the vendor has not reported the fee yet. */
  fee_cents: number | null;
  failure_reason: string | null;
  /** The time at which the customer paid. This time and `observed_at` are RFC 3339. */
  paid_at: string;
  /** The time at which the worker read the payment at the vendor. */
  observed_at: string;
  /** The payment's reference in the books, such as a check number. */
  reference?: string | null;
  /**
   * True if the payment was entered in the account's books, so the reporting vendor took no money.
   */
  is_booked?: boolean;
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
    reference: Joi.string().allow(null),
    is_booked: Joi.boolean(),
  }),
  permission: 'write',
  conflictKeys: ({ invoice_id }) => [`entity:${invoice_id}`],
});
