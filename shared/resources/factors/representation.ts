import { jsonObject, jsonTime } from '../../contracts/resource.js';

/** Returns SQL for a factor as JSON, without its secrets. */
export function factorRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'user_id',
    'kind',
    'name',
    { name: 'codes_left', sql: `cardinality(${alias}.code_hashes)` },
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'confirmed_at'),
    jsonTime(alias, 'last_used_at'),
    jsonTime(alias, 'removed_at'),
  ]);
}
