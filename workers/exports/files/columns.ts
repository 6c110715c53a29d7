import { effectiveDueDate } from '../../../shared/billing/effective-due-date.js';
import { jsonTime } from '../../../shared/contracts/resource.js';
import {
  booleanColumn,
  type CsvColumn,
  centsColumn,
  memberSql,
  plainColumn,
  textColumn,
  timeColumn,
} from './cells.js';

/*
 * The columns of the CSV files, in the sequence of the REST representations
 * (shared/resources/…/representation.ts). This sequence is part of the public format: add new
 * columns at the end of a file. allowed_actions is left out: it describes what was possible at the
 * moment of the export and is not data. Members of objects become separate columns. Lists become
 * separate files (list-columns.ts), or JSON in a cell.
 */

export function invoiceColumns(t: string): CsvColumn[] {
  const hasDelivery = `${t}.delivery_state is not null`;
  const failure = `case when ${t}.delivery_state = 'failed' then ${t}.status_reason end`;
  return [
    plainColumn(t, 'id'),
    textColumn(t, 'invoice_number'),
    plainColumn(t, 'status'),
    plainColumn(t, 'customer_id'),
    textColumn(t, 'billing_email'),
    textColumn(t, 'po_number'),
    timeColumn(t, 'due_date'),
    timeColumn(t, 'service_date'),
    centsColumn(t, 'subtotal_cents'),
    centsColumn(t, 'tax_cents'),
    centsColumn(t, 'total_cents'),
    centsColumn(t, 'paid_cents'),
    centsColumn(t, 'balance_due_cents'),
    plainColumn(t, 'work_order_id'),
    textColumn(t, 'vehicle_description'),
    textColumn(t, 'notes'),
    timeColumn(t, 'sent_at'),
    plainColumn(t, 'delivery_state'),
    textColumn(t, 'delivery_reason', `(${failure})`),
    plainColumn(
      t,
      'delivery_viewed_at',
      `case when ${hasDelivery} then ${timeColumn(t, 'viewed_at').sql} end`,
    ),
    timeColumn(t, 'created_at'),
    timeColumn(t, 'updated_at'),
    textColumn(t, 'customer_name'),
    textColumn(t, 'job_number'),
    plainColumn(t, 'effective_due_date', jsonTime(t, 'effective_due_date', effectiveDueDate(t)).sql),
  ];
}

export function lineItemColumns(l: string): CsvColumn[] {
  return [
    plainColumn(l, 'invoice_id'),
    plainColumn(l, 'id'),
    plainColumn(l, 'position'),
    textColumn(l, 'name'),
    textColumn(l, 'description'),
    plainColumn(l, 'category'),
    plainColumn(l, 'quantity'),
    plainColumn(l, 'unit_type'),
    centsColumn(l, 'unit_price_cents'),
    centsColumn(l, 'total_cents'),
    booleanColumn(l, 'taxable'),
    textColumn(l, 'invoice_number'),
  ];
}

export function paymentColumns(p: string): CsvColumn[] {
  return [
    plainColumn(p, 'id'),
    plainColumn(p, 'invoice_id'),
    centsColumn(p, 'amount_cents'),
    plainColumn(p, 'method'),
    timeColumn(p, 'received_at'),
    textColumn(p, 'reference'),
    centsColumn(p, 'refunded_cents'),
    centsColumn(p, 'credit_cents', `${p}.amount_cents - ${p}.refunded_cents - ${p}.applied_cents`),
    timeColumn(p, 'created_at'),
    timeColumn(p, 'updated_at'),
    textColumn(p, 'invoice_number'),
    textColumn(p, 'customer_name'),
  ];
}

export function refundColumns(r: string): CsvColumn[] {
  return [
    plainColumn(r, 'id'),
    plainColumn(r, 'payment_id'),
    plainColumn(r, 'invoice_id'),
    centsColumn(r, 'amount_cents'),
    textColumn(r, 'reason'),
    timeColumn(r, 'created_at'),
    textColumn(r, 'invoice_number'),
    textColumn(r, 'customer_name'),
  ];
}

export function inspectionColumns(t: string): CsvColumn[] {
  const vehicle = (name: string) => textColumn(t, `vehicle_${name}`, memberSql(`${t}.vehicle`, name));
  return [
    plainColumn(t, 'id'),
    plainColumn(t, 'kind'),
    plainColumn(t, 'truck_id'),
    plainColumn(t, 'driver_id'),
    plainColumn(t, 'work_order_id'),
    vehicle('vin'),
    vehicle('plate'),
    vehicle('make'),
    vehicle('model'),
    plainColumn(t, 'vehicle_year', memberSql(`${t}.vehicle`, 'year')),
    plainColumn(t, 'odometer_miles'),
    // JSON in a cell, so that an export of inspections is one complete file. An export of
    // everything also contains these lists as files.
    plainColumn(t, 'items'),
    plainColumn(t, 'defects'),
    plainColumn(t, 'photos'),
    plainColumn(t, 'result'),
    textColumn(t, 'notes'),
    timeColumn(t, 'submitted_at'),
    timeColumn(t, 'created_at'),
    timeColumn(t, 'updated_at'),
    textColumn(t, 'job_number'),
  ];
}
