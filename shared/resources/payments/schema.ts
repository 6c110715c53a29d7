import Joi from 'joi';
import { paymentMethod } from '../../contracts/enums.js';
import { cursor, dateOrDateTime, limit, uuid } from '../../contracts/schemas/fields.js';
import { externalIdQuery, externalIds } from '../../records/expansions/external-ids.js';
import { paymentFields, paymentStatus, refundFields } from './fields.js';

export { paymentStatus };

export const paymentCreate = Joi.object(paymentFields.creation).meta({ className: 'PaymentCreate' });

export const refundCreate = Joi.object(refundFields.creation).meta({ className: 'RefundCreate' });

export const payment = paymentFields.response
  .keys({ external_ids: externalIds() })
  .meta({ className: 'Payment' });

/** The query parameters for listing one invoice's payments. The path names the invoice. */
export const invoicePaymentListQuery = Joi.object({
  expand: externalIdQuery.extract('expand'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'InvoicePaymentListQuery' });

export const paymentListQuery = Joi.object({
  invoice_id: uuid(),
  method: paymentMethod,
  status: paymentStatus,
  since: dateOrDateTime().description('Inclusive; by received_at'),
  until: dateOrDateTime().description('Exclusive; by received_at'),
  expand: externalIdQuery.extract('expand'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'PaymentListQuery' });
