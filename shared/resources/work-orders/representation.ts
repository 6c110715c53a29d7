import { jsonObject, jsonTime } from '../../contracts/resource.js';

/** A work order as REST prints it: `pending` whether or not somebody has accepted it (decisions 1, row 3). */
export function workOrderRepresentation(alias: string): string {
  return jsonObject(alias, [
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
    'contact_name',
    'contact_phone',
    {
      name: 'pickup',
      sql: `json_build_object('address', ${alias}.pickup_location, 'lat', ${alias}.pickup_lat, 'lng', ${alias}.pickup_lng)`,
    },
    {
      name: 'vehicle',
      sql: `json_build_object('make', ${alias}.vehicle_make, 'model', ${alias}.vehicle_model, 'year', ${alias}.vehicle_year)`,
    },
    'unit_number',
    'truck_id',
    'driver_id',
    'step',
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'updated_at'),
  ]);
}
