import { jsonTime } from '../../../shared/contracts/resource.js';
import { customerMembers } from '../../../shared/resources/customers/representation.js';
import { effectiveDueDate } from '../../../shared/resources/invoices/effective-due-date.js';
import { type Column, cents, flag, plain, text, time } from './cells.js';

/*
 * The columns of the CSV files, in the sequence of the REST representations
 * (shared/resources/…/representation.ts). This sequence is part of the public format: add new
 * columns at the end of a file. allowed_actions is left out: it describes what was possible at the
 * moment of the export and is not data. Members of objects become separate columns. Lists become
 * separate files, or JSON in a cell.
 */

export function invoiceColumns(t: string): Column[] {
  const hasDelivery = `${t}.delivery_state is not null`;
  const failure = `case when ${t}.delivery_state = 'failed' then ${t}.status_reason end`;
  return [
    plain(t, 'id'),
    text(t, 'invoice_number'),
    plain(t, 'status'),
    plain(t, 'customer_id'),
    text(t, 'billing_email'),
    text(t, 'po_number'),
    time(t, 'due_date'),
    time(t, 'service_date'),
    cents(t, 'subtotal_cents'),
    cents(t, 'tax_cents'),
    cents(t, 'total_cents'),
    cents(t, 'paid_cents'),
    cents(t, 'balance_due_cents'),
    plain(t, 'work_order_id'),
    text(t, 'vehicle_description'),
    text(t, 'notes'),
    time(t, 'sent_at'),
    plain(t, 'delivery_state'),
    text(t, 'delivery_reason', `(${failure})`),
    plain(t, 'delivery_viewed_at', `case when ${hasDelivery} then ${time(t, 'viewed_at').sql} end`),
    time(t, 'created_at'),
    time(t, 'updated_at'),
    text(t, 'customer_name'),
    text(t, 'job_number'),
    plain(t, 'effective_due_date', jsonTime(t, 'effective_due_date', effectiveDueDate(t)).sql),
  ];
}

export function lineItemColumns(l: string): Column[] {
  return [
    plain(l, 'invoice_id'),
    plain(l, 'id'),
    plain(l, 'position'),
    text(l, 'name'),
    text(l, 'description'),
    plain(l, 'category'),
    plain(l, 'quantity'),
    plain(l, 'unit_type'),
    cents(l, 'unit_price_cents'),
    cents(l, 'total_cents'),
    flag(l, 'taxable'),
    text(l, 'invoice_number'),
  ];
}

export function paymentColumns(p: string): Column[] {
  return [
    plain(p, 'id'),
    plain(p, 'invoice_id'),
    cents(p, 'amount_cents'),
    plain(p, 'method'),
    time(p, 'received_at'),
    text(p, 'reference'),
    cents(p, 'refunded_cents'),
    cents(p, 'credit_cents', `${p}.amount_cents - ${p}.refunded_cents - ${p}.applied_cents`),
    time(p, 'created_at'),
    time(p, 'updated_at'),
    text(p, 'invoice_number'),
    text(p, 'customer_name'),
  ];
}

export function refundColumns(r: string): Column[] {
  return [
    plain(r, 'id'),
    plain(r, 'payment_id'),
    plain(r, 'invoice_id'),
    cents(r, 'amount_cents'),
    text(r, 'reason'),
    time(r, 'created_at'),
    text(r, 'invoice_number'),
    text(r, 'customer_name'),
  ];
}

export function customerColumns(t: string): Column[] {
  const computedCents = (name: string) => {
    const member = customerMembers(t).find((each) => typeof each !== 'string' && each.name === name);
    if (!member || typeof member === 'string')
      throw new Error(`the representation of customers has no ${name}`);
    return cents(t, name, member.sql);
  };
  return [
    plain(t, 'id'),
    text(t, 'company_name'),
    plain(t, 'company_type'),
    text(t, 'billing_email'),
    text(t, 'primary_phone'),
    text(t, 'address'),
    text(t, 'city'),
    text(t, 'state'),
    text(t, 'zip'),
    flag(t, 'is_active'),
    plain(t, 'terms_days'),
    flag(t, 'tax_exempt'),
    plain(t, 'tax_rate_bps'),
    plain(t, 'rate_card_id'),
    computedCents('balance_cents'),
    computedCents('overdue_cents'),
    computedCents('credit_cents'),
    time(t, 'created_at'),
    time(t, 'updated_at'),
  ];
}

export function workOrderColumns(t: string): Column[] {
  return [
    plain(t, 'id'),
    text(t, 'job_number'),
    plain(t, 'status'),
    plain(t, 'billing_status'),
    plain(t, 'service_type'),
    plain(t, 'customer_id'),
    text(t, 'pickup_location'),
    text(t, 'dropoff_location'),
    time(t, 'dispatch_time'),
    time(t, 'completion_time'),
    text(t, 'vin'),
    text(t, 'notes'),
    text(t, 'customer_notes'),
    text(t, 'billing_email'),
    text(t, 'contact_name'),
    text(t, 'contact_phone'),
    text(t, 'pickup_address', `${t}.pickup_location`),
    plain(t, 'pickup_lat'),
    plain(t, 'pickup_lng'),
    text(t, 'vehicle_make'),
    text(t, 'vehicle_model'),
    plain(t, 'vehicle_year'),
    text(t, 'unit_number'),
    plain(t, 'truck_id'),
    plain(t, 'driver_id'),
    plain(t, 'step'),
    time(t, 'eta'),
    plain(t, 'miles'),
    plain(t, 'cancel_reason'),
    text(t, 'cancel_note'),
    time(t, 'created_at'),
    time(t, 'updated_at'),
    text(t, 'customer_name'),
  ];
}

/** SQL for a member of a JSON object that is stored in one column. */
const memberSql = (json: string, name: string) => `(${json} ->> '${name}')`;

export function inspectionColumns(t: string): Column[] {
  const vehicle = (name: string) => text(t, `vehicle_${name}`, memberSql(`${t}.vehicle`, name));
  return [
    plain(t, 'id'),
    plain(t, 'kind'),
    plain(t, 'truck_id'),
    plain(t, 'driver_id'),
    plain(t, 'work_order_id'),
    vehicle('vin'),
    vehicle('plate'),
    vehicle('make'),
    vehicle('model'),
    plain(t, 'vehicle_year', memberSql(`${t}.vehicle`, 'year')),
    plain(t, 'odometer_miles'),
    // JSON in a cell, so that an export of inspections is one complete file. An export of
    // everything also contains these lists as files.
    plain(t, 'items'),
    plain(t, 'defects'),
    plain(t, 'photos'),
    plain(t, 'result'),
    text(t, 'notes'),
    time(t, 'submitted_at'),
    time(t, 'created_at'),
    time(t, 'updated_at'),
    text(t, 'job_number'),
  ];
}

/** Columns for each list of an inspection; `value` is one entry of the list. */
export const INSPECTION_LISTS = { items: itemColumns, defects: defectColumns, photos: photoColumns };

const positionColumns = (e: string) => [plain(e, 'inspection_id'), plain(e, 'position')];
const textMember = (e: string, name: string) => text(e, name, memberSql(`${e}.value`, name));
const plainMember = (e: string, name: string) => plain(e, name, memberSql(`${e}.value`, name));

/** Columns for the items of a rate card; `value` is one item. */
export function rateCardItemColumns(e: string): Column[] {
  const centsMember = (name: string) => cents(e, name, `(${e}.value ->> '${name}')::bigint`);
  return [
    plain(e, 'rate_card_id'),
    text(e, 'rate_card_name'),
    plain(e, 'rate_card_version'),
    plain(e, 'position'),
    textMember(e, 'name'),
    plainMember(e, 'service_type'),
    plainMember(e, 'category'),
    plainMember(e, 'unit_type'),
    centsMember('unit_price_cents'),
    plainMember(e, 'included_quantity'),
    centsMember('minimum_cents'),
    plainMember(e, 'after_hours'),
    plainMember(e, 'taxable'),
  ];
}

function itemColumns(e: string): Column[] {
  return [
    ...positionColumns(e),
    textMember(e, 'key'),
    textMember(e, 'label'),
    plainMember(e, 'state'),
    textMember(e, 'note'),
  ];
}

function defectColumns(e: string): Column[] {
  return [
    ...positionColumns(e),
    plainMember(e, 'id'),
    textMember(e, 'component'),
    plainMember(e, 'severity'),
    plainMember(e, 'resolved_at'),
    textMember(e, 'resolved_by'),
  ];
}

function photoColumns(e: string): Column[] {
  return [
    ...positionColumns(e),
    plainMember(e, 'slot'),
    plainMember(e, 'phase'),
    textMember(e, 'url'),
    plainMember(e, 'taken_at'),
  ];
}
