import type { Principal } from '../../contracts/principal.js';
import { ROLE_PERMISSIONS, type Role } from '../../contracts/roles.js';
import { sha256 } from '../../platform/crypto.js';
import type { Database } from '../../platform/postgres/database.js';
import { recordsetSql } from '../../records/record-refs.js';
import { accountTier, findTenant, type TenantRow } from '../tenants/find-tenant.js';
import type { KnownAddresses } from './known-addresses.js';

/**
 * A session ends after this long without a request. The value is the length of a dispatcher's
 * shift.
 */
export const SESSION_IDLE_LIFETIME = "interval '12 hours'";
/** A session ends after this long, however much it is used. */
export const SESSION_MAX_LIFETIME = "interval '7 days'";

export interface SignInCandidate {
  tenant_id: string;
  id: string;
  name: string;
  email: string;
  /** True if an API key changed the address. Mails to it then set no password. */
  is_email_set_by_key: boolean;
  password_hash: string;
  sign_in_addresses: KnownAddresses;
}

/**
 * Maximum number of accounts for which one sign-in checks the password. Each check is expensive. If
 * more accounts have the email address, the client must send `tenant_id`.
 */
const MAX_CANDIDATES = 5;

/**
 * Finds active people with this email address, at most {@link MAX_CANDIDATES}. Searches all
 * accounts, or only `tenantId` if it is given. Throws if PostgreSQL is unreachable.
 */
export function findSignInCandidates(
  db: Database,
  { email, tenantId }: { email: string; tenantId: string | undefined },
): Promise<SignInCandidate[]> {
  const address = email.toLowerCase();
  return db.readByEmail<SignInCandidate>(address, {
    name: 'find-candidates',
    text: `select tenant_id, id, name, email, is_email_set_by_key, password_hash, sign_in_addresses from users
           where lower(email) = $1 and deactivated_at is null and ($2::uuid is null or tenant_id = $2)
           order by created_at, id limit ${MAX_CANDIDATES}`,
    values: [address, tenantId ?? null],
  });
}

interface SessionRow {
  id: string;
  tenant_id: string;
  user_id: string;
  idle_expires_at: Date;
  expires_at: Date;
  ended_at: Date | null;
}

interface UserRow {
  name: string;
  role: Role;
  deactivated_at: Date | null;
}

/**
 * Returns the principal of a session token; undefined if no session has the token. The principal's
 * tenant is the tenant that the request acts on: the live account or its sandbox.
 */
export async function findSession(
  db: Database,
  { token, environment }: { token: string; environment: 'live' | 'sandbox' },
): Promise<Principal | undefined> {
  const hash = sha256(token);
  const [row] = await db.readByKeyHash<SessionRow>(hash, {
    name: 'find-session',
    text: `select id, tenant_id, user_id, idle_expires_at, expires_at, ended_at from sessions where token_hash = $1`,
    values: [hash],
  });
  if (!row) return undefined;
  const [[user], live] = await Promise.all([
    db.read<UserRow>(row.tenant_id, {
      name: 'find-session-user',
      text: 'select name, role, deactivated_at from users where tenant_id = $1 and id = $2',
      values: [row.tenant_id, row.user_id],
    }),
    findTenant(db, row.tenant_id),
  ]);
  const tenantId = environment === 'live' ? row.tenant_id : live?.sandbox_tenant_id;
  const tenant = environment === 'live' || !tenantId ? live : await findTenant(db, tenantId);
  return user && tenant && tenantId
    ? buildPersonPrincipal({ row, user }, { id: tenantId, tenant })
    : undefined;
}

/** Returns the principal of a signed-in person, who has the permissions of the role. */
export function buildPersonPrincipal(
  { row, user }: { row: SessionRow; user: UserRow },
  { id: tenantId, tenant }: { id: string; tenant: TenantRow },
): Principal {
  return {
    id: row.user_id,
    kind: 'user',
    name: user.name,
    permissions: [...ROLE_PERMISSIONS[user.role]],
    scopes: [],
    readOnly: false,
    expiresAt: Math.min(row.idle_expires_at.getTime(), row.expires_at.getTime()),
    revoked: row.ended_at !== null || user.deactivated_at !== null,
    tenantId,
    tenantName: tenant.name,
    environment: tenant.environment,
    timeZone: tenant.time_zone,
    tier: accountTier(tenant),
    accountTier: accountTier(tenant),
    session: { id: row.id, tenantId: row.tenant_id },
  };
}

/**
 * Extends the idle lifetime of sessions that were used. A session that has expired stays expired.
 * No client requests this write, so it has no audit entry.
 */
export async function extendSessions(
  db: Database,
  uses: { tenant_id: string; id: string; at: string }[],
): Promise<void> {
  if (uses.length === 0) return;
  const tenants = [...new Set(uses.map((use) => use.tenant_id))];
  await db.transaction(tenants, async (tx) =>
    tx.queryAtCommit({
      name: 'touch-sessions',
      text: `update sessions t set idle_expires_at = greatest(t.idle_expires_at, least(r.at + ${SESSION_IDLE_LIFETIME}, t.expires_at))
             from ${recordsetSql('tenant_id uuid, id uuid, at timestamptz')} where t.tenant_id = r.tenant_id and t.id = r.id
               and t.idle_expires_at > r.at`,
      values: [JSON.stringify(uses)],
    }),
  );
}
