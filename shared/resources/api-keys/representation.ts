import { jsonObject, jsonTime } from '../../contracts/resource.js';

/** JSON of an API key. It never contains the credential. */
export function apiKeyRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'kind',
    'name',
    'prefix',
    'last_four',
    'permissions',
    'scopes',
    'read_only',
    'tier',
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'expires_at'),
    jsonTime(alias, 'revoked_at'),
    jsonTime(alias, 'last_used_at'),
  ]);
}
