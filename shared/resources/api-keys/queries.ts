import type { Tier } from '../../config/config.js';
import type { ApiKeyListQuery } from '../../contracts/generated.js';
import type { Principal } from '../../contracts/principal.js';
import type { AgentScope, Permission } from '../../contracts/vocabulary.js';
import { sha256 } from '../../platform/crypto.js';
import type { Database } from '../../platform/postgres/database.js';
import { type CredentialUse, storeUses } from '../../records/keys/store-uses.js';
import { defineList } from '../../records/lists/define-list.js';
import { recordsetSql } from '../../records/record-refs.js';
import { accountTier, findTenant, type TenantRow } from '../tenants/find-tenant.js';
import { apiKeyFields } from './fields.js';

interface KeyRow {
  id: string;
  tenant_id: string;
  kind: 'api' | 'agent';
  name: string;
  permissions: Permission[];
  scopes: AgentScope[];
  club_id: string | null;
  read_only: boolean;
  tier: Tier | null;
  expires_at: Date | null;
  revoked_at: Date | null;
}

const TIER_ORDER: Tier[] = ['starter', 'standard', 'premium'];

/**
 * Finds the principal of a key. Throws if PostgreSQL is unreachable, so that the client gets a 503
 * and never a 401.
 */
export async function findKey(db: Database, key: string): Promise<Principal | undefined> {
  const hash = sha256(key);
  const [row] = await db.readByKeyHash<KeyRow>(hash, {
    name: 'find-key',
    text: `select id, tenant_id, kind, name, permissions, scopes, club_id, read_only, tier, expires_at, revoked_at from api_keys
           where key_hash = $1`,
    values: [hash],
  });
  if (!row) return undefined;
  const tenant = await findTenant(db, row.tenant_id);
  return tenant && toPrincipal(row, tenant);
}

function toPrincipal(row: KeyRow, tenant: TenantRow): Principal {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    permissions: row.permissions,
    scopes: row.scopes,
    // A trigger sets club_id. The fallback ensures that no club's key ever reads as the account.
    ...(row.permissions.includes('club_offers') ? { clubId: row.club_id ?? row.id } : {}),
    readOnly: row.read_only,
    expiresAt: row.expires_at?.getTime() ?? null,
    revoked: row.revoked_at !== null,
    tenantId: row.tenant_id,
    tenantName: tenant.name,
    environment: tenant.environment,
    timeZone: tenant.time_zone,
    tier: lowerTier(row.tier, accountTier(tenant)),
    accountTier: accountTier(tenant),
  };
}

/** Returns the tier of a key. A key may have a lower tier than its account, never a higher tier. */
function lowerTier(keyTier: Tier | null, tierOfAccount: Tier): Tier {
  if (keyTier === null) return tierOfAccount;
  return TIER_ORDER.indexOf(keyTier) < TIER_ORDER.indexOf(tierOfAccount) ? keyTier : tierOfAccount;
}

export const listApiKeys = defineList<ApiKeyListQuery>({
  table: 'api_keys',
  fields: apiKeyFields,
  only: "t.kind = 'api'",
});

/** Records when keys were last used. Never moves last_used_at backwards. */
export function touchKeys(db: Database, uses: CredentialUse[]): Promise<void> {
  return storeUses(db, uses, {
    name: 'touch-keys',
    text: `update api_keys t set last_used_at = greatest(t.last_used_at, r.at)
           from ${recordsetSql('tenant_id uuid, id uuid, at timestamptz')} where t.tenant_id = r.tenant_id and t.id = r.id`,
  });
}
