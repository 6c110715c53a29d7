import { isUuid } from '../../shared/platform/ids.js';
import { apiKeyFields } from '../../shared/resources/api-keys/fields.js';
import { markKeysRevoked } from '../../shared/resources/api-keys/mark-keys-revoked.js';
import { recordOperatorAction } from '../cli/audit-entry.js';
import type { RunCommand } from '../cli/command.js';
import { notFoundError, usageError } from '../cli/exit-codes.js';
import { renderTable } from '../cli/output.js';
import { findNamedTenant } from './tenants.js';

const COLUMNS = [
  'id',
  'kind',
  'name',
  'last_four',
  'rights',
  'read_only',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
];

interface KeyBody extends Record<string, unknown> {
  permissions: string[];
  scopes: string[];
}

/** `tow keys list`: lists a tenant's keys, newest first, including revoked and expired keys. */
export const listKeys: RunCommand = async (args, { store }) => {
  const { db } = await store();
  const tenant = await findNamedTenant(db, args);
  const rows = await db.read<{ body: KeyBody }>(tenant.id, {
    text: `select ${apiKeyFields.representation('t')} as body from api_keys t where t.tenant_id = $1 order by t.created_at desc, t.id desc`,
    values: [tenant.id],
  });
  const items = rows.map(({ body }) => body);
  return {
    data: { tenant_id: tenant.id, environment: tenant.environment, items, count: items.length },
    text: renderTable(
      items.map((item) => ({ ...item, rights: [...item.permissions, ...item.scopes] })),
      COLUMNS,
    ),
  };
};

/** `tow keys revoke`: revokes a key. Running processes refuse the key within 5 s. */
export const revokeKey: RunCommand = async (args, { store }) => {
  const id = String(args.positionals[0]).toLowerCase();
  if (!isUuid(id)) throw usageError('KEY_ID must be the id of a key; `tow keys list` shows them.');
  const { db } = await store();
  const tenant = await findNamedTenant(db, args);
  const key = await db.transaction([tenant.id], async (tx) => {
    const [before] = await tx.query<{ kind: string; revoked_at: Date | null }>({
      text: 'select kind, revoked_at from api_keys where tenant_id = $1 and id = $2 for update',
      values: [tenant.id, id],
    });
    if (!before) throw notFoundError('key of this tenant');
    if (before.revoked_at === null) {
      const changes = [{ field: 'revoked_at', from: null, to: 'now' }];
      recordOperatorAction(tx, {
        tenantId: tenant.id,
        action: `${before.kind}_key.revoked`,
        entityType: `${before.kind}_key`,
        entityId: id,
        changes,
      });
    }
    await markKeysRevoked(tx, [{ tenant_id: tenant.id, id }]);
    const [after] = await tx.query<{ body: Record<string, unknown> }>({
      text: `select ${apiKeyFields.representation('t')} as body from api_keys t where t.tenant_id = $1 and t.id = $2`,
      values: [tenant.id, id],
    });
    return after?.body ?? {};
  });
  return {
    data: { ...key, tenant_id: tenant.id },
    text: `Revoked "${key.name}" (…${key.last_four}). Running processes refuse it within 5 seconds.`,
  };
};
