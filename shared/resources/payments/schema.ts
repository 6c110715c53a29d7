import Joi from 'joi';
import { MAX_INVOICE_TOTAL_CENTS } from '../../billing/money.js';
import { paymentMethod } from '../../contracts/enums.js';
import {
  allRequired,
  cents,
  cursor,
  dateOrDateTime,
  dateTime,
  integer,
  limit,
  text,
  uuid,
} from '../../contracts/schemas/fields.js';

export const paymentCreate = Joi.object({
  amount_cents: integer(1, MAX_INVOICE_TOTAL_CENTS).required().example(12_500),
  method: paymentMethod.required(),
  received_at: dateTime().description('When the money came in; default now'),
  reference: text(200).allow(null).example('Check 1042'),
}).meta({ className: 'PaymentCreate' });

export const refundCreate = Joi.object({
  amount_cents: integer(1, MAX_INVOICE_TOTAL_CENTS).required().example(2_500),
  reason: text(500).required().example('Storage was waived'),
}).meta({ className: 'RefundCreate' });

export const payment = allRequired({
  id: uuid(),
  invoice_id: uuid(),
  amount_cents: cents(),
  method: paymentMethod,
  received_at: dateTime(),
  reference: Joi.string().allow(null),
  refunded_cents: cents().example(0),
  credit_cents: cents().example(0).description('The part that exceeds the invoice: credit of the customer'),
  created_at: dateTime(),
  updated_at: dateTime(),
}).meta({ className: 'Payment' });

/** Payments of one invoice; the invoice id comes from the path. */
export const invoicePaymentListQuery = Joi.object({
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'InvoicePaymentListQuery' });

export const paymentListQuery = Joi.object({
  invoice_id: uuid(),
  method: paymentMethod,
  since: dateOrDateTime().description('Inclusive; by received_at'),
  until: dateOrDateTime().description('Exclusive; by received_at'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'PaymentListQuery' });
