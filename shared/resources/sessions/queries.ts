import type { Principal } from '../../contracts/principal.js';
import { PERMISSIONS } from '../../contracts/vocabulary.js';
import { sha256 } from '../../platform/crypto.js';
import type { Database } from '../../platform/postgres.js';
import { recordset } from '../sets.js';
import { accountTier, findTenant, type TenantRow } from '../tenants/find-tenant.js';
import type { KnownAddresses } from './known-addresses.js';

/** A dispatcher's shift. After so long without a request a session is over. */
export const IDLE_LIFE = "interval '12 hours'";
/** However much it is used, a session ends after this. */
export const ABSOLUTE_LIFE = "interval '7 days'";

/** A person who might be signing in. */
export interface SignInCandidate {
  tenant_id: string;
  id: string;
  name: string;
  password_hash: string;
  sign_in_addresses: KnownAddresses;
}

/** More accounts than this under one e-mail must be told apart by tenant_id: each costs a password check. */
const MAX_CANDIDATES = 5;

/** The active people of this e-mail, in whatever tenant they are, the oldest first. Throws when PostgreSQL cannot be asked. */
export function findCandidates(
  db: Database,
  { email, tenantId }: { email: string; tenantId: string | undefined },
): Promise<SignInCandidate[]> {
  const address = email.toLowerCase();
  return db.readByEmail<SignInCandidate>(address, {
    name: 'find-candidates',
    text: `select tenant_id, id, name, password_hash, sign_in_addresses from users
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
  deactivated_at: Date | null;
}

/** Looks a session up by its token, then its person and the tenant that is acted on. undefined: no such session. */
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
      text: 'select name, deactivated_at from users where tenant_id = $1 and id = $2',
      values: [row.tenant_id, row.user_id],
    }),
    findTenant(db, row.tenant_id),
  ]);
  const tenantId = environment === 'live' ? row.tenant_id : live?.sandbox_tenant_id;
  const tenant = environment === 'live' || !tenantId ? live : await findTenant(db, tenantId);
  return user && tenant && tenantId ? personOf({ row, user }, { id: tenantId, tenant }) : undefined;
}

/** A signed-in person may do everything (decisions 6). */
export function personOf(
  { row, user }: { row: SessionRow; user: UserRow },
  { id: tenantId, tenant }: { id: string; tenant: TenantRow },
): Principal {
  return {
    id: row.user_id,
    kind: 'user',
    name: user.name,
    permissions: [...PERMISSIONS],
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

/** Moves the idle end of used sessions forward; one that has ended stays so. Not a write of a client, so it has no audit entry. */
export async function touchSessions(
  db: Database,
  uses: { tenant_id: string; id: string; at: string }[],
): Promise<void> {
  if (uses.length === 0) return;
  const tenants = [...new Set(uses.map((use) => use.tenant_id))];
  await db.transaction(tenants, async (tx) =>
    tx.queryAtCommit({
      name: 'touch-sessions',
      text: `update sessions t set idle_expires_at = greatest(t.idle_expires_at, least(r.at + ${IDLE_LIFE}, t.expires_at))
             from ${recordset('tenant_id uuid, id uuid, at timestamptz')} where t.tenant_id = r.tenant_id and t.id = r.id
               and t.idle_expires_at > r.at`,
      values: [JSON.stringify(uses)],
    }),
  );
}
