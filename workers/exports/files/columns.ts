import { type CsvColumn, centsColumn, memberSql, plainColumn, textColumn, timeColumn } from './cells.js';

/*
 * The columns of the CSV files, in the sequence of the REST representations
 * (shared/resources/…/representation.ts). This sequence is part of the public format: add new
 * columns at the end of a file. allowed_actions is left out: it describes what was possible at the
 * moment of the export and is not data. Members of objects become separate columns. Lists become
 * separate files (list-columns.ts), or JSON in a cell.
 */

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
