import { jsonObject, jsonTime } from '../../contracts/resource.js';

export function webhookReplayRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'kind',
    'endpoint_id',
    'filter',
    'status',
    'total',
    'created_count',
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'updated_at'),
    jsonTime(alias, 'completed_at'),
  ]);
}
