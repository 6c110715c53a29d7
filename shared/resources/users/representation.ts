import { jsonObject, jsonTime } from '../../contracts/resource.js';

/** A person of an account, without the password's hash. */
export function userRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'name',
    'email',
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'updated_at'),
    jsonTime(alias, 'deactivated_at'),
  ]);
}
