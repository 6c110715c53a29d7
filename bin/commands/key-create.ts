import Joi from 'joi';
import { dateTime, strictBoolean, text } from '../../shared/contracts/schemas/fields.js';
import { validate } from '../../shared/contracts/schemas/validate.js';
import { ACCOUNT_PERMISSIONS, AGENT_SCOPES } from '../../shared/contracts/vocabulary.js';
import { deriveKey } from '../../shared/platform/crypto.js';
import { newId } from '../../shared/platform/ids.js';
import type { Database } from '../../shared/platform/postgres/database.js';
import { AccountQuota } from '../../shared/records/account-quota.js';
import { diffNewRecord } from '../../shared/records/changes.js';
import { refKey } from '../../shared/records/record-refs.js';
import { renderRecords } from '../../shared/records/render-records.js';
import { type KeyKind, type KeyMaterial, mintKey } from '../../shared/resources/api-keys/credential.js';
import { insertApiKeys } from '../../shared/resources/api-keys/handlers.js';
import { LIVE_KEY_QUOTA } from '../../shared/resources/api-keys/live-key-quota.js';
import { apiKeyTable } from '../../shared/resources/api-keys/table.js';
import { recordOperatorAction } from '../cli/audit-entry.js';
import type { CommandArgs, RunCommand } from '../cli/command.js';
import { CliError, EXIT, usageError } from '../cli/exit-codes.js';
import { findNamedTenant } from './tenants.js';

interface KeyRights {
  kind: KeyKind;
  name: string;
  permissions: string[];
  scopes: string[];
  read_only: boolean;
  expires_at: string | null;
}

const listSchema = (known: readonly string[]) =>
  Joi.array()
    .items(Joi.string().valid(...known))
    .min(1)
    .unique();

const rights = Joi.object({
  kind: Joi.string(),
  name: text(100).required(),
  permissions: listSchema(ACCOUNT_PERMISSIONS).default(['read', 'write']),
  scopes: listSchema(AGENT_SCOPES).default([]),
  read_only: strictBoolean(),
  expires_at: dateTime().default(null),
});

/**
 * `tow keys create`: creates a key and shows it once. A read-only API key gets no permission to
 * write. A read-only agent key may have only scopes that read (docs/decisions.md §6).
 */
export const createKey: RunCommand = async (args, { store, config }) => {
  const key = parseRights(args);
  const { db } = await store();
  const tenant = await findNamedTenant(db, args);
  const minted = mintKey(key.kind, tenant.environment, deriveKey(config().secretKey, 'credentials'));
  const record = await storeKey(db, tenant.id, { key, material: minted.material });
  const { environment } = tenant;
  const rest = `key id  ${record.id}\ntenant  ${tenant.name} (${environment})`;
  const expired =
    key.expires_at && Date.parse(key.expires_at) <= Date.now() ? '\nIt has expired already.' : '';
  return {
    data: { ...record, tenant_id: tenant.id, environment, key: minted.key },
    text: `${minted.key}\n\nThis key is shown only now.\n${rest}${expired}`,
  };
};

function parseRights({ values }: CommandArgs): KeyRights {
  const isAgent = values.agent === true;
  if (isAgent && values.permissions !== undefined)
    throw usageError('An agent key has --scopes, not --permissions.');
  if (isAgent && values.scopes === undefined)
    throw usageError(`Give the agent its --scopes: ${AGENT_SCOPES.join(',')}.`);
  if (!isAgent && values.scopes !== undefined) throw usageError('--scopes is for agent keys: add --agent.');
  const checked = validate<KeyRights>(rights, {
    kind: isAgent ? 'agent' : 'api',
    name: values.name,
    permissions: splitList(values.permissions),
    scopes: splitList(values.scopes),
    read_only: values['read-only'] === true,
    expires_at: values['expires-at'],
  });
  if (isAgent) return { ...checked, permissions: [], scopes: requireReadingScopes(checked) };
  return { ...checked, permissions: checked.read_only ? ['read'] : checked.permissions };
}

function requireReadingScopes({ scopes, read_only }: KeyRights): string[] {
  const writing = read_only ? scopes.filter((scope) => !scope.startsWith('read_')) : [];
  if (writing.length > 0) throw usageError(`A read-only agent cannot hold ${writing.join(', ')}.`);
  return scopes;
}

function splitList(value: string | boolean | undefined): string[] | undefined {
  return typeof value === 'string' ? value.split(',').map((part) => part.trim()) : undefined;
}

/** Stores the key's hash and its audit entry. Resolves with the key's record. */
async function storeKey(
  db: Database,
  tenantId: string,
  { key, material }: { key: KeyRights; material: KeyMaterial },
): Promise<{ id: string } & Record<string, unknown>> {
  const ref = { tenant_id: tenantId, id: newId() };
  const { prefix, lastFour: last_four, hash: key_hash } = material;
  return db.transaction([tenantId], async (tx) => {
    const refusal = (await AccountQuota.load(tx, [{ tenantId }], LIVE_KEY_QUOTA)).reserve(tenantId);
    if (refusal && !refusal.ok) throw new CliError(refusal.error.code, refusal.error.message, EXIT.failed);
    await insertApiKeys(tx, [{ ...ref, ...key, prefix, last_four, key_hash, tier: null, rolled_from: null }]);
    recordOperatorAction(tx, {
      tenantId,
      action: `${key.kind}_key.created`,
      entityType: `${key.kind}_key`,
      entityId: ref.id,
      changes: diffNewRecord({ ...key }),
    });
    const bodies = await renderRecords(tx, apiKeyTable, [ref]);
    return { id: ref.id, ...JSON.parse(bodies.get(refKey(ref)) ?? '{}') };
  });
}
