import { randomBytes } from 'node:crypto';
import { ACCOUNT_PERMISSIONS, AGENT_SCOPES } from '../../shared/contracts/vocabulary.js';
import { deriveKey, hashPassword } from '../../shared/platform/crypto.js';
import { newId } from '../../shared/platform/ids.js';
import type { Transaction } from '../../shared/platform/postgres/database.js';
import { recordsetSql } from '../../shared/records/record-refs.js';
import { mintKey } from '../../shared/resources/api-keys/credential.js';
import { insertApiKeys } from '../../shared/resources/api-keys/handlers.js';
import { insertRows } from './insert-records.js';
import { createAuditEntry } from './records/audit.js';
import { DEMO_PROFILES, DEMO_TENANT_IDS, type DemoProfile } from './records/tenants.js';

/** One company in `demo.json`: its owner's sign-in, and its keys in clear text. */
export interface DemoCredentials {
  name: string;
  email: string;
  password: string;
  api_key: string;
  sandbox_key: string;
  agent_key: string;
  agent_read_only_key: string;
  sandbox_agent_key: string;
}

export type DemoKeyField = Exclude<keyof DemoCredentials, 'name' | 'email' | 'password'>;

interface KeyPlan {
  kind: 'api' | 'agent';
  environment: 'live' | 'sandbox';
  name: string;
  readOnly: boolean;
}

/**
 * The keys of each company. API keys have every permission. Agent keys have every scope, and
 * read-only agent keys every read scope (docs/decisions.md §6).
 */
const KEY_PLANS: Readonly<Record<DemoKeyField, KeyPlan>> = {
  api_key: { kind: 'api', environment: 'live', name: 'Demo API key', readOnly: false },
  sandbox_key: { kind: 'api', environment: 'sandbox', name: 'Demo sandbox key', readOnly: false },
  agent_key: { kind: 'agent', environment: 'live', name: 'Demo agent', readOnly: false },
  agent_read_only_key: { kind: 'agent', environment: 'live', name: 'Demo read-only agent', readOnly: true },
  sandbox_agent_key: { kind: 'agent', environment: 'sandbox', name: 'Demo sandbox agent', readOnly: false },
};

export const DEMO_KEY_FIELDS = Object.keys(KEY_PLANS) as DemoKeyField[];

function selectScopes({ kind, readOnly }: KeyPlan): string[] {
  if (kind === 'api') return [];
  return readOnly ? AGENT_SCOPES.filter((scope) => scope.startsWith('read_')) : [...AGENT_SCOPES];
}

function mintDemoKey(profile: DemoProfile, plan: KeyPlan, sealingKey: Buffer) {
  const { key, material } = mintKey(plan.kind, plan.environment, sealingKey);
  const row = {
    tenant_id: profile.pair[plan.environment],
    id: newId(),
    kind: plan.kind,
    name: plan.name,
    prefix: material.prefix,
    last_four: material.lastFour,
    key_hash: material.hash,
    permissions: plan.kind === 'api' ? [...ACCOUNT_PERMISSIONS] : [],
    scopes: selectScopes(plan),
    read_only: plan.readOnly,
    tier: null,
    rolled_from: null,
    expires_at: null,
  };
  return { key, row };
}

/**
 * Creates new keys for every company of the demo, and sets a new password for its owner. Earlier
 * keys stay valid. Resolves with the keys and passwords in clear text; the database stores only
 * hashes. The transaction must include all tenants of the demo.
 */
export async function issueDemoCredentials(tx: Transaction, secretKey: string): Promise<DemoCredentials[]> {
  const sealingKey = deriveKey(secretKey, 'credentials');
  const tenants: DemoCredentials[] = [];
  for (const profile of DEMO_PROFILES) {
    const minted = Object.entries(KEY_PLANS).map(
      ([field, plan]) => [field, mintDemoKey(profile, plan, sealingKey)] as const,
    );
    const rows = minted.map(([, { row }]) => row);
    await insertApiKeys(tx, rows);
    await insertRows(
      tx,
      'audit_entries',
      rows.map(({ tenant_id, id, kind, name, permissions, scopes, read_only }) =>
        createAuditEntry({ tenant_id, entity_type: `${kind}_key`, entity_id: id }, `${kind}_key.created`, {
          kind,
          name,
          permissions,
          scopes,
          read_only,
        }),
      ),
    );
    const keys = Object.fromEntries(minted.map(([field, { key }]) => [field, key])) as Record<
      DemoKeyField,
      string
    >;
    tenants.push({
      name: profile.name,
      email: profile.owner.email,
      password: await setPassword(tx, profile),
      ...keys,
    });
  }
  return tenants;
}

/**
 * Creates the owner if missing. Sets a new password and ends the owner's sessions. Resolves with
 * the password.
 */
async function setPassword(tx: Transaction, { owner, pair }: DemoProfile): Promise<string> {
  const password = randomBytes(12).toString('base64url');
  const [row] = await tx.query<{ made: boolean }>({
    text: `insert into users (tenant_id, id, email, name, password_hash, role) values ($1, $2, $3, $4, $5, 'owner')
           on conflict (tenant_id, id) do update
             set email = excluded.email, password_hash = excluded.password_hash, role = excluded.role, deactivated_at = null
           returning xmax = 0 as made`,
    values: [pair.live, owner.id, owner.email, owner.name, await hashPassword(password)],
  });
  await tx.query({
    text: 'update sessions set ended_at = now() where tenant_id = $1 and user_id = $2 and ended_at is null',
    values: [pair.live, owner.id],
  });
  const entity = { tenant_id: pair.live, entity_type: 'user', entity_id: owner.id };
  const entry = row?.made
    ? createAuditEntry(entity, 'user.created', { email: owner.email, name: owner.name })
    : createAuditEntry(entity, 'user.password_changed');
  await insertRows(tx, 'audit_entries', [entry]);
  return password;
}

/**
 * Revokes the keys that the demo created, found by their names. Keys with other names, which people
 * created in the demo, stay valid.
 */
export async function revokeDemoKeys(tx: Transaction): Promise<void> {
  const revoked = await tx.query<{ tenant_id: string; id: string; kind: string }>({
    text: `update api_keys t set revoked_at = now()
           from ${recordsetSql('tenant_id uuid, name text')}
           where t.tenant_id = r.tenant_id and t.name = r.name and t.revoked_at is null
           returning t.tenant_id, t.id, t.kind`,
    values: [
      JSON.stringify(
        DEMO_TENANT_IDS.flatMap((tenant_id) =>
          Object.values(KEY_PLANS).map(({ name }) => ({ tenant_id, name })),
        ),
      ),
    ],
  });
  const entries = revoked.map(({ tenant_id, id, kind }) =>
    createAuditEntry({ tenant_id, entity_type: `${kind}_key`, entity_id: id }, `${kind}_key.revoked`),
  );
  if (entries.length > 0) await insertRows(tx, 'audit_entries', entries);
}
