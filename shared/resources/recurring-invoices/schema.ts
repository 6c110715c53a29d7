import Joi from 'joi';
import { cursor, limit, uuid } from '../../contracts/schemas/fields.js';
import { invoiceRelease, invoiceRhythm, recurringInvoiceStatus } from './enums.js';
import { recurringInvoiceFields } from './fields.js';

export { invoiceRelease, invoiceRhythm, recurringInvoiceStatus };

export const recurringInvoice = recurringInvoiceFields.response.meta({ className: 'RecurringInvoice' });

export const recurringInvoiceCreate = Joi.object(recurringInvoiceFields.creation).meta({
  className: 'RecurringInvoiceCreate',
});

export const recurringInvoicePatch = Joi.object(recurringInvoiceFields.change).meta({
  className: 'RecurringInvoicePatch',
});

export const recurringInvoiceEnd = Joi.object({}).meta({ className: 'RecurringInvoiceEnd' });

export const recurringInvoiceListQuery = Joi.object({
  status: recurringInvoiceStatus,
  customer_id: uuid(),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'RecurringInvoiceListQuery' });
