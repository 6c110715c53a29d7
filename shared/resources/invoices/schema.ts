import Joi from 'joi';
import { draftLine, lineItem, lineItemInput } from '../../billing/line-item-schema.js';
import { MAX_LINE_ITEMS } from '../../billing/money.js';
import {
  cursor,
  dateOrDateTime,
  email,
  limit,
  multilineText,
  oneOrMore,
  sort,
  text,
  uuid,
} from '../../contracts/schemas/fields.js';
import { listedName } from '../../contracts/schemas/listed-name.js';
import { INVOICE_STATUSES } from '../../contracts/vocabulary.js';
import { EXTERNAL_IDS, externalIds } from '../../records/expansions/external-ids.js';
import { deliveryState, invoiceActionName } from './enums.js';
import { invoiceFields, invoiceListFields } from './fields.js';

export { deliveryState, draftLine, invoiceActionName, lineItem, lineItemInput };

export const invoiceCreate = Joi.object(invoiceFields.creation).meta({ className: 'InvoiceCreate' });

/**
 * Input of `invoice.draft`. The work order supplies the draft's customer, vehicle and service date.
 */
export const invoiceDraft = Joi.object({
  work_order_id: uuid().required(),
  line_items: Joi.array()
    .items(draftLine)
    .max(MAX_LINE_ITEMS)
    .description("If omitted, the customer's rate card prices the invoice"),
  notes: multilineText(5000).description('The customer sees them'),
  billing_email: email().description("Used instead of the customer's billing email"),
}).meta({ className: 'InvoiceDraft' });

export const invoicePatch = Joi.object(invoiceFields.change).meta({ className: 'InvoicePatch' });

export const invoiceAction = Joi.object({}).meta({ className: 'InvoiceAction' });

export const invoiceReason = Joi.object({
  reason: text(500).required().example('Customer says the tow was 3 miles shorter'),
}).meta({ className: 'InvoiceReason' });

export const invoiceSend = Joi.object({
  channel: Joi.string().valid('email', 'sms', 'both').default('email'),
  to: text(254)
    .example('billing@example.com')
    .description(
      'Email address or phone number for a single channel. Default: from the invoice, customer or work order',
    ),
}).meta({ className: 'InvoiceSend' });

export const invoice = invoiceFields.response
  .keys({ external_ids: externalIds() })
  .meta({ className: 'Invoice' });

/**
 * Response of /send. No other response shows the link with which the customer opens the invoice.
 */
export const sentInvoice = invoiceFields.response
  .keys({
    view_url: Joi.string()
      .uri()
      .example('https://api.example.com/i/k3Jq81')
      .description(
        'Page for the customer. Anyone with the link can see the invoice. Absent if nothing was sent',
      ),
  })
  .meta({ className: 'SentInvoice' });

export const invoiceListItem = invoiceListFields.response
  .keys({
    line_items: Joi.array().items(lineItem).description('Only with expand=line_items'),
    customer_name: listedName('Hudson Auto Club'),
    external_ids: externalIds(),
  })
  .meta({ className: 'InvoiceListItem' });

export const invoiceListQuery = Joi.object({
  status: oneOrMore(INVOICE_STATUSES).description('One status, or several joined by commas'),
  customer_id: uuid(),
  work_order_id: uuid(),
  search: text(100).description('Part of invoice_number or po_number'),
  since: dateOrDateTime().description('Inclusive'),
  until: dateOrDateTime().description('Exclusive'),
  date_field: Joi.string()
    .valid('created_at', 'updated_at', 'service_date', 'due_date', 'paid_at')
    .description(
      'Column that since and until filter. Default: created_at, or paid_at if status names only paid and partially_paid',
    ),
  expand: oneOrMore(['line_items', 'names', EXTERNAL_IDS]).description(
    'line_items, names (adds customer_name) or external_ids, or several joined by commas',
  ),
  sort: sort(['due_date']).description(
    'due_date is the earliest first, created_at the oldest first. A - reverses. Invoices without due_date come last, also with -due_date. Default: -created_at',
  ),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'InvoiceListQuery' });
