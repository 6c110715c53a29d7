import Joi from 'joi';
import { lineItemInput, pricedLineItem } from '../../billing/line-item-schema.js';
import { MAX_LINE_ITEMS } from '../../billing/money.js';
import { uuid } from '../../contracts/schemas/fields.js';
import { optionalText, recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { autopayField } from '../autopay/autopay-field.js';
import { customerTable } from '../customers/table.js';
import { date } from '../rate-cards/fields.js';
import { invoiceRelease, invoiceRhythm, recurringInvoiceStatus } from './enums.js';

const nullableDate = () => date().allow(null).example(null, { override: true });

export const recurringInvoiceFields = defineFields({
  id: recordId(),
  description: optionalText(200, { freeText: true }),
  customer_id: {
    input: uuid(),
    setBy: 'create',
    isRequired: true,
    columns: 'uuid',
    references: customerTable,
  },
  every: { input: invoiceRhythm, isRequired: true, columns: 'text' },
  anchor_date: {
    input: date().description(
      "The date from which all others follow. If it has passed, the first invoice is due on the next date of the rhythm; today counts, in the account's time zone",
    ),
    isRequired: true,
    output: date(),
    columns: 'date',
  },
  line_items: {
    input: Joi.array()
      .items(lineItemInput)
      .min(1)
      .max(MAX_LINE_ITEMS)
      .description('The line items of each invoice. A PATCH replaces them as a whole, for later invoices'),
    isRequired: true,
    output: Joi.array().items(pricedLineItem),
    columns: 'jsonb',
    freeText: ['name', 'description'],
  },
  release: {
    input: invoiceRelease.description(
      'Default draft. `send` needs the permission approve, and so does every change of what is then sent',
    ),
    output: invoiceRelease,
    columns: 'text',
  },
  ends_on: {
    input: nullableDate().description('The last day on which an invoice may be due'),
    output: nullableDate(),
    columns: 'date',
  },
  status: {
    input: recurringInvoiceStatus,
    setBy: 'change',
    output: recurringInvoiceStatus,
    columns: 'text',
  },
  next_date: {
    output: nullableDate().description(
      "When the next invoice is created, at the start of this day in the account's time zone. null unless active",
    ),
  },
  last_date: { output: nullableDate().description('The date for which the last invoice was created') },
  last_invoice_id: { output: uuid().allow(null).example(null, { override: true }) },
  created_at: time(),
  updated_at: time(),
  autopay: autopayField(
    "Charges these invoices to a saved payment method, instead of the customer's autopay. Needs the permission approve",
  ),
});
