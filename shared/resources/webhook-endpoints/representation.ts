import { jsonObject, jsonTime } from '../../contracts/resource.js';

export function webhookEndpointRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'url',
    'enabled',
    'disabled_reason',
    jsonTime(alias, 'disabled_at'),
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'updated_at'),
  ]);
}
