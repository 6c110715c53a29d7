import { jsonObject, jsonTime } from '../../contracts/resource.js';

/** vehicle, items, defects and photos are kept as they are shown. */
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
