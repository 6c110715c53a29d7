import { jsonObject, jsonTime } from '../../contracts/resource.js';

export function webhookDeliveryRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'endpoint_id',
    'event_id',
    'event_type',
    'status',
    jsonTime(alias, 'created_at'),
  ]);
}
