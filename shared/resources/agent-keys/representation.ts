import { jsonObject, jsonTime } from '../../contracts/resource.js';

/** JSON of an agent key. It never contains the credential. */
export function agentKeyRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'kind',
    'name',
    'prefix',
    'last_four',
    'scopes',
    'read_only',
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'expires_at'),
    jsonTime(alias, 'revoked_at'),
    jsonTime(alias, 'last_used_at'),
  ]);
}
