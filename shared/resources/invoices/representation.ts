import { effectiveDueDate } from '../../billing/effective-due-date.js';
import { jsonObject, jsonObjectWithoutNulls, jsonShortText, jsonTime } from '../../contracts/resource.js';
import { shortCustomerName } from '../customers/representation.js';
import { allowedActions } from './allowed-actions.js';

const MEMBERS = (alias: string) => [
  'id',
  'invoice_number',
  'status',
  'customer_id',
  'billing_email',
  'po_number',
  jsonTime(alias, 'due_date'),
  jsonTime(alias, 'service_date'),
  'subtotal_cents',
  'tax_cents',
  'total_cents',
  'paid_cents',
  'balance_due_cents',
  'work_order_id',
  'vehicle_description',
  'notes',
  jsonTime(alias, 'sent_at'),
  {
    name: 'delivery',
    sql: `case when ${alias}.delivery_state is not null then ${jsonObject(alias, [
      { name: 'state', sql: `${alias}.delivery_state` },
      { name: 'reason', sql: `case when ${alias}.delivery_state = 'failed' then ${alias}.status_reason end` },
      jsonTime(alias, 'viewed_at'),
    ])} end`,
  },
  { name: 'allowed_actions', sql: allowedActions(alias) },
  jsonTime(alias, 'effective_due_date', effectiveDueDate(alias)),
  jsonTime(alias, 'created_at'),
  jsonTime(alias, 'updated_at'),
];

const lineItems = (alias: string) => ({
  name: 'line_items',
  sql: `(select coalesce(json_agg(${jsonObject('l', [
    'id',
    'position',
    'name',
    'description',
    'category',
    'quantity',
    'unit_type',
    'unit_price_cents',
    'total_cents',
    'taxable',
  ])} order by l.position), '[]'::json)
    from invoice_line_items l where l.tenant_id = ${alias}.tenant_id and l.invoice_id = ${alias}.id)`,
});

/** SQL: an invoice with its line items, as GET by id, 201, PATCH and events show it. */
export function invoiceRepresentation(alias: string): string {
  return jsonObject(alias, [...MEMBERS(alias), lineItems(alias)]);
}

/** SQL: an invoice in a list, without its line items. */
export function invoiceListRepresentation(alias: string): string {
  return jsonObject(alias, MEMBERS(alias));
}

/**
 * SQL: an invoice in the list that agents receive, with enough members to choose one. get_invoice
 * shows every member.
 */
export function agentInvoiceListRepresentation(alias: string): string {
  return jsonObjectWithoutNulls(alias, [
    'id',
    jsonShortText(alias, 'invoice_number'),
    'status',
    shortCustomerName(alias),
    'total_cents',
    'balance_due_cents',
    jsonTime(alias, 'effective_due_date', effectiveDueDate(alias)),
    jsonTime(alias, 'created_at'),
  ]);
}
