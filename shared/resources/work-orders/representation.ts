import { jsonObject, jsonObjectWithoutNulls, jsonShortText, jsonTime } from '../../contracts/resource.js';
import { shortCustomerName } from '../customers/representation.js';

type Members = Parameters<typeof jsonObject>[1];

export function workOrderMembers(alias: string): Members {
  return [
    'id',
    'job_number',
    'status',
    'billing_status',
    'service_type',
    'customer_id',
    'pickup_location',
    'dropoff_location',
    jsonTime(alias, 'dispatch_time'),
    jsonTime(alias, 'completion_time'),
    'vin',
    'notes',
    'customer_notes',
    'billing_email',
    'contact_name',
    'contact_phone',
    nested(alias, 'pickup', { address: 'pickup_location', lat: 'pickup_lat', lng: 'pickup_lng' }),
    nested(alias, 'vehicle', { make: 'vehicle_make', model: 'vehicle_model', year: 'vehicle_year' }),
    'unit_number',
    'truck_id',
    'driver_id',
    'step',
    jsonTime(alias, 'eta'),
    'miles',
    'cancel_reason',
    'cancel_note',
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'updated_at'),
  ];
}

/**
 * A work order as REST shows it: `pending` whether accepted or not (docs/decisions.md §1, row 3).
 */
export function workOrderRepresentation(alias: string): string {
  return jsonObject(alias, workOrderMembers(alias));
}

/** A work order as agents see it: `new` until accepted, so `pending` means accepted. */
export function agentWorkOrderMembers(alias: string): Members {
  return workOrderMembers(alias).map((member) => (member === 'status' ? agentStatus(alias) : member));
}

function agentStatus(alias: string): { name: string; sql: string } {
  const isNew = `${alias}.status = 'pending' and ${alias}.intake = 'new'`;
  return { name: 'status', sql: `case when ${isNew} then 'new' else ${alias}.status end` };
}

/** A work order in an agent's list: enough to choose one. get_work_order has every member. */
export function agentWorkOrderListRepresentation(alias: string): string {
  return jsonObjectWithoutNulls(alias, [
    'id',
    'job_number',
    agentStatus(alias),
    'billing_status',
    'service_type',
    shortCustomerName(alias),
    jsonShortText(alias, 'pickup_location'),
    jsonTime(alias, 'created_at'),
  ]);
}

/** A nested object of the representation, stored in separate columns. */
function nested(alias: string, name: string, columns: Record<string, string>): { name: string; sql: string } {
  const members = Object.entries(columns).map(([member, column]) => ({
    name: member,
    sql: `${alias}.${column}`,
  }));
  return { name, sql: jsonObject(alias, members) };
}
