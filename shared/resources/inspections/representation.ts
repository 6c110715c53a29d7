import { jsonObject, jsonTime } from '../../contracts/resource.js';

/** The database stores vehicle, items, defects and photos in the form that the API shows. */
export function inspectionRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'kind',
    'truck_id',
    'driver_id',
    'work_order_id',
    'vehicle',
    'odometer_miles',
    'items',
    'defects',
    'photos',
    'result',
    'notes',
    jsonTime(alias, 'submitted_at'),
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'updated_at'),
  ]);
}
