import { jsonTime } from '../../../shared/contracts/resource.js';
import { customerMembers } from '../../../shared/resources/customers/representation.js';
import { effectiveDueDate } from '../../../shared/resources/invoices/effective-due-date.js';
import { type Column, cents, flag, plain, text, time } from './cells.js';

/*
 * What the CSV files show, in the order of the representations of REST (shared/resources/…/representation.ts). This order is a promise: new columns go to the
 * end of their file. Left out: allowed_actions, which say what could be done at the moment of the export and are no data. The members of an object are
 * columns of their own; lists are files of their own, or JSON in a cell.
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
  const reckoned = (name: string) => {
    const member = customerMembers(t).find((each) => typeof each !== 'string' && each.name === name);
    if (!member || typeof member === 'string') throw new Error(`customers do not show ${name}`);
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
    reckoned('balance_cents'),
    reckoned('overdue_cents'),
    reckoned('credit_cents'),
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

/** A member of a JSON object that is kept whole. */
const member = (json: string, name: string) => `(${json} ->> '${name}')`;

export function inspectionColumns(t: string): Column[] {
  const vehicle = (name: string) => text(t, `vehicle_${name}`, member(`${t}.vehicle`, name));
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
    plain(t, 'vehicle_year', member(`${t}.vehicle`, 'year')),
    plain(t, 'odometer_miles'),
    // JSON in a cell: so an export of inspections alone is one file and lacks nothing; all has files of them beside it.
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

/** Lists of an inspection; `value` is one entry of them. */
export const INSPECTION_LISTS = { items: itemColumns, defects: defectColumns, photos: photoColumns };

const place = (e: string) => [plain(e, 'inspection_id'), plain(e, 'position')];
const words = (e: string, name: string) => text(e, name, member(`${e}.value`, name));
const word = (e: string, name: string) => plain(e, name, member(`${e}.value`, name));

/** Prices of a rate card; `value` is one of its items. */
export function rateCardItemColumns(e: string): Column[] {
  const amount = (name: string) => cents(e, name, `(${e}.value ->> '${name}')::bigint`);
  return [
    plain(e, 'rate_card_id'),
    text(e, 'rate_card_name'),
    plain(e, 'rate_card_version'),
    plain(e, 'position'),
    words(e, 'name'),
    word(e, 'service_type'),
    word(e, 'category'),
    word(e, 'unit_type'),
    amount('unit_price_cents'),
    word(e, 'included_quantity'),
    amount('minimum_cents'),
    word(e, 'after_hours'),
    word(e, 'taxable'),
  ];
}

function itemColumns(e: string): Column[] {
  return [...place(e), words(e, 'key'), words(e, 'label'), word(e, 'state'), words(e, 'note')];
}

function defectColumns(e: string): Column[] {
  return [
    ...place(e),
    word(e, 'id'),
    words(e, 'component'),
    word(e, 'severity'),
    word(e, 'resolved_at'),
    words(e, 'resolved_by'),
  ];
}

function photoColumns(e: string): Column[] {
  return [...place(e), word(e, 'slot'), word(e, 'phase'), words(e, 'url'), word(e, 'taken_at')];
}
