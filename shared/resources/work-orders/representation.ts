import { jsonObject, jsonTime } from '../../contracts/resource.js';

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

/** A work order as REST prints it: `pending` whether or not somebody has accepted it (decisions 1, row 3). */
export function workOrderRepresentation(alias: string): string {
  return jsonObject(alias, workOrderMembers(alias));
}

/** As agents see it: `new` while nobody has accepted it, and so its `pending` means accepted. */
export function agentWorkOrderMembers(alias: string): Members {
  const status = `case when ${alias}.status = 'pending' and ${alias}.intake = 'new' then 'new' else ${alias}.status end`;
  return workOrderMembers(alias).map((member) =>
    member === 'status' ? { name: 'status', sql: status } : member,
  );
}

/** An object of the representation that is kept in columns of its own. */
function nested(alias: string, name: string, columns: Record<string, string>): { name: string; sql: string } {
  const members = Object.entries(columns).map(([member, column]) => ({
    name: member,
    sql: `${alias}.${column}`,
  }));
  return { name, sql: jsonObject(alias, members) };
}
