import { jsonObject, jsonTime } from '../../contracts/resource.js';

export function noticeRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'kind',
    'title',
    'text',
    'entity_type',
    'entity_id',
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'read_at'),
    jsonTime(alias, 'mailed_at'),
  ]);
}
