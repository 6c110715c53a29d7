import { jsonObject, jsonTime } from '../../contracts/resource.js';

export function driverRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'name',
    'phone',
    'duty_classes',
    'status',
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'updated_at'),
  ]);
}
