import { jsonObject, jsonTime } from '../../contracts/resource.js';
import { isFactorMissingSql, ownsFactorSql } from './owns-factor.js';

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
    { name: 'has_factor', sql: ownsFactorSql(person(alias)) },
    jsonTime(alias, 'factor_proved_at'),
    {
      name: 'is_factor_setup_required',
      sql: `(select ${isFactorMissingSql('p')} from users p join tenants n on n.tenant_id = p.tenant_id
        where p.tenant_id = ${alias}.tenant_id and p.id = ${alias}.user_id)`,
    },
  ]);
}

const person = (alias: string) => ({ tenantId: `${alias}.tenant_id`, userId: `${alias}.user_id` });

/** Returns SQL for a session in the list of its person. */
export function ownSessionRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'user_agent',
    'network',
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'last_used_at'),
    jsonTime(alias, 'idle_expires_at'),
    jsonTime(alias, 'expires_at'),
  ]);
}
