import Joi from 'joi';
import { draftLine, lineItem, lineItemInput } from '../../billing/line-item-schema.js';
import { MAX_LINE_ITEMS } from '../../billing/money.js';
import { invoiceStatus } from '../../contracts/enums.js';
import {
  allRequired,
  cents,
  cursor,
  dateOrDateTime,
  dateTime,
  dayOrDateTime,
  email,
  limit,
  multilineText,
  text,
  uuid,
} from '../../contracts/schemas/fields.js';
import { deliveryState, invoiceActionName } from './enums.js';
import { PATCHABLE_STATUSES } from './transitions.js';

export { deliveryState, draftLine, invoiceActionName, lineItem, lineItemInput };

const lineItems = () => Joi.array().items(lineItemInput).max(MAX_LINE_ITEMS);

export const invoiceCreate = Joi.object({
  invoice_number: text(64).required().example('INV-1001'),
  customer_id: uuid().allow(null),
  work_order_id: uuid().allow(null),
  billing_email: email().allow(null),
  po_number: text(64).allow(null),
  service_date: dayOrDateTime().allow(null),
  due_date: dayOrDateTime().allow(null),
  vehicle_description: text(500).allow(null),
  notes: multilineText(5000).allow(null),
  line_items: lineItems().description(
    'If omitted and work_order_id is set, the rate card prices the invoice',
  ),
}).meta({ className: 'InvoiceCreate' });

/**
 * An agent's draft. The number comes from the account's sequence; customer, vehicle and dates come
 * from the work order.
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

export const invoicePatch = Joi.object({
  billing_email: email().allow(null),
  po_number: text(64).allow(null),
  due_date: dayOrDateTime().allow(null),
  notes: multilineText(5000).allow(null),
  status: invoiceStatus.description(
    `One of ${PATCHABLE_STATUSES.join(', ')}, if the transition table allows it; any other is 409`,
  ),
  line_items: lineItems(),
}).meta({ className: 'InvoicePatch' });

/** The body of an action without parameters. */
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

const invoiceListItemKeys = () => ({
  id: uuid(),
  invoice_number: Joi.string().example('INV-1001'),
  status: invoiceStatus,
  customer_id: uuid().allow(null),
  billing_email: email().allow(null),
  po_number: Joi.string().allow(null),
  due_date: dateTime().allow(null),
  service_date: dateTime().allow(null),
  subtotal_cents: cents(),
  tax_cents: cents(),
  total_cents: cents(),
  paid_cents: cents(),
  balance_due_cents: cents(),
  work_order_id: uuid().allow(null),
  vehicle_description: Joi.string().allow(null),
  notes: Joi.string().allow(null),
  sent_at: dateTime().allow(null),
  delivery: allRequired({
    state: deliveryState,
    reason: Joi.string().allow(null).description('Why the message could not be delivered'),
    viewed_at: dateTime().allow(null).description('When the customer first saw the invoice on its page'),
  })
    .allow(null)
    .description('Delivery of the invoice to its customer; null before it is sent'),
  allowed_actions: Joi.array()
    .items(invoiceActionName)
    .description('Actions that an operator may take on this invoice now'),
  effective_due_date: dateTime()
    .allow(null)
    .description(
      "When the invoice is due: due_date, else release plus the customer's terms. null for a draft without due_date, because its terms start at release",
    ),
  created_at: dateTime(),
  updated_at: dateTime(),
});

const withLines = () => allRequired({ ...invoiceListItemKeys(), line_items: Joi.array().items(lineItem) });

export const invoice = withLines().meta({ className: 'Invoice' });

/** The response of /send. It alone shows the link that opens the invoice for its customer. */
export const sentInvoice = withLines()
  .keys({
    view_url: Joi.string()
      .uri()
      .example('https://api.example.com/i/k3Jq81')
      .description(
        'Page for the customer. Anyone with the link can see the invoice. Absent if nothing was sent',
      ),
  })
  .meta({ className: 'SentInvoice' });

/** Like {@link invoice}, but line items only with `expand=line_items`. */
export const invoiceListItem = allRequired(invoiceListItemKeys())
  .keys({ line_items: Joi.array().items(lineItem) })
  .meta({ className: 'InvoiceListItem' });

export const invoiceListQuery = Joi.object({
  status: invoiceStatus,
  customer_id: uuid(),
  search: text(100).description('Part of invoice_number or po_number'),
  since: dateOrDateTime().description('Inclusive'),
  until: dateOrDateTime().description('Exclusive'),
  date_field: Joi.string()
    .valid('created_at', 'updated_at', 'service_date', 'due_date', 'paid_at')
    .description(
      'Column that since and until filter. Default: created_at, or paid_at for status paid and partially_paid',
    ),
  expand: Joi.string().valid('line_items'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'InvoiceListQuery' });
