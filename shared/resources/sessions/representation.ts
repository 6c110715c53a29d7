import { jsonObject, jsonTime } from '../../contracts/resource.js';

/** Returns SQL for a session as JSON, with its person and account but without its token. */
export function sessionRepresentation(alias: string): string {
  const user = jsonObject('u', ['id', 'name', 'email', 'role']);
  const tenant = jsonObject('n', [{ name: 'id', sql: 'n.tenant_id' }, 'name']);
  const ofUser = `u.tenant_id = ${alias}.tenant_id and u.id = ${alias}.user_id`;
  return jsonObject(alias, [
    'id',
    { name: 'user', sql: `(select ${user} from users u where ${ofUser})` },
    { name: 'tenant', sql: `(select ${tenant} from tenants n where n.tenant_id = ${alias}.tenant_id)` },
    { name: 'environment', sql: "'live'" },
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'expires_at'),
    jsonTime(alias, 'ended_at'),
  ]);
}
