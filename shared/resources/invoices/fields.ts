import Joi from 'joi';
import { effectiveDueDate } from '../../billing/effective-due-date.js';
import { lineItemFields } from '../../billing/line-item-fields.js';
import { lineItem, lineItemInput } from '../../billing/line-item-schema.js';
import { MAX_LINE_ITEMS } from '../../billing/money.js';
import { invoiceStatus } from '../../contracts/enums.js';
import { jsonObject, jsonTime } from '../../contracts/resource.js';
import {
  allRequired,
  cents,
  dateTime,
  dayOrDateTime,
  email,
  text,
  uuid,
} from '../../contracts/schemas/fields.js';
import { externalIdsColumn } from '../../records/expansions/external-ids.js';
import {
  type Field,
  optionalMultilineText,
  optionalReference,
  optionalText,
  recordId,
  time,
} from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { customerTable } from '../customers/table.js';
import { workOrderTable } from '../work-orders/table.js';
import { allowedActions } from './allowed-actions.js';
import { deliveryState, invoiceActionName } from './enums.js';
import { PATCHABLE_STATUSES } from './transitions.js';

const day: Field = {
  input: dayOrDateTime().allow(null),
  output: dateTime().allow(null),
  columns: 'timestamptz',
};

const deliverySql = {
  reason: (alias: string) => `case when ${alias}.delivery_state = 'failed' then ${alias}.status_reason end`,
  viewedAt: (alias: string) => `case when ${alias}.delivery_state is not null then ${alias}.viewed_at end`,
};

const delivery: Field = {
  output: allRequired({
    state: deliveryState,
    reason: Joi.string().allow(null).description('Why the message could not be delivered'),
    viewed_at: dateTime().allow(null).description('When the customer first saw the invoice on its page'),
  })
    .allow(null)
    .description('Delivery of the invoice to its customer; null before it is sent'),
  sql: (alias) =>
    `case when ${alias}.delivery_state is not null then ${jsonObject(alias, [
      { name: 'state', sql: `${alias}.delivery_state` },
      { name: 'reason', sql: deliverySql.reason(alias) },
      jsonTime(alias, 'viewed_at'),
    ])} end`,
  columns: null,
  csv: [
    { name: 'delivery_state', kind: 'plain' },
    { name: 'delivery_reason', kind: 'text', sql: deliverySql.reason },
    { name: 'delivery_viewed_at', kind: 'time', sql: deliverySql.viewedAt },
  ],
  freeText: ['reason'],
};

const LIST_FIELDS: Readonly<Record<string, Field>> = {
  id: recordId(),
  invoice_number: {
    input: text(64).example('INV-1001'),
    setBy: 'create',
    isRequired: true,
    output: Joi.string().example('INV-1001'),
    columns: 'text',
    freeText: true,
  },
  status: {
    input: invoiceStatus.description(
      `One of ${PATCHABLE_STATUSES.join(', ')}, if the transition table allows it; any other is 409`,
    ),
    setBy: 'change',
    output: invoiceStatus,
  },
  customer_id: optionalReference(customerTable, { setBy: 'create' }),
  billing_email: { input: email().allow(null), columns: 'text' },
  po_number: optionalText(64, { freeText: true }),
  due_date: day,
  service_date: { ...day, setBy: 'create' },
  subtotal_cents: { output: cents() },
  tax_cents: { output: cents() },
  total_cents: { output: cents() },
  paid_cents: { output: cents() },
  balance_due_cents: { output: cents(), isComputedOnRead: true },
  work_order_id: optionalReference(workOrderTable, { setBy: 'create' }),
  vehicle_description: optionalText(500, { setBy: 'create', freeText: true }),
  notes: optionalMultilineText(5000, { freeText: true }),
  sent_at: time(dateTime().allow(null)),
  delivery,
  // Exports omit the allowed actions, because these are valid only at the moment of reading.
  allowed_actions: {
    output: Joi.array()
      .items(invoiceActionName)
      .description('Actions that an operator may take on this invoice now'),
    sql: allowedActions,
    columns: null,
    csv: null,
  },
  effective_due_date: {
    output: dateTime()
      .allow(null)
      .description(
        "When the invoice is due: due_date, else release plus the customer's terms. null for a draft without due_date, because its terms start at release",
      ),
    sql: effectiveDueDate,
    columns: null,
    isComputedOnRead: true,
    isLastInCsv: true,
  },
  created_at: time(),
  updated_at: time(),
  customer_name: { columns: null, csv: 'text', freeText: true },
  job_number: { columns: null, csv: 'text' },
  recurring_invoice_id: {
    output: uuid()
      .allow(null)
      .example(null, { override: true })
      .description('The recurring invoice from which the clock created this invoice'),
    isLastInCsv: true,
  },
  external_ids: externalIdsColumn('invoice'),
};

const lineItems = () => Joi.array().items(lineItemInput).max(MAX_LINE_ITEMS);

export const invoiceListFields = defineFields(LIST_FIELDS);

/** The fields of a single invoice. Lists omit `line_items` unless the request expands them. */
export const invoiceFields = defineFields({
  ...LIST_FIELDS,
  line_items: {
    input: lineItems().description('If omitted and work_order_id is set, the rate card prices the invoice'),
    changeInput: lineItems(),
    output: Joi.array().items(lineItem),
    sql: (alias) =>
      `(select coalesce(json_agg(${lineItemFields.representation('l')} order by l.position), '[]'::json)
    from invoice_line_items l where l.tenant_id = ${alias}.tenant_id and l.invoice_id = ${alias}.id)`,
    columns: null,
    isComputedOnRead: true,
    csv: null,
  },
});
