import { jsonObject, jsonTime } from '../../contracts/resource.js';
import { EXPORT_REQUEST_MEMBERS } from '../exports/representation.js';

/** @param alias alias of export_schedules */
export function exportScheduleRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    ...EXPORT_REQUEST_MEMBERS,
    'cadence',
    'hour',
    'weekday',
    'day',
    'period',
    'enabled',
    jsonTime(alias, 'next_run_at'),
    jsonTime(alias, 'last_run_at'),
    'last_export_id',
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'updated_at'),
  ]);
}
