import type { OwnSessionListQuery } from '../../contracts/generated.js';
import type { Principal } from '../../contracts/principal.js';
import { ROLE_PERMISSIONS, type Role } from '../../contracts/roles.js';
import { sha256, UNUSABLE_PASSWORD_HASH } from '../../platform/crypto.js';
import type { Database, SqlQuery } from '../../platform/postgres/database.js';
import { type CredentialUse, storeUses } from '../../records/keys/store-uses.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { type RecordRef, recordsetSql } from '../../records/record-refs.js';
import { accountTier, findTenant, type TenantRow } from '../tenants/find-tenant.js';
import type { KnownAddresses } from './known-addresses.js';
import { isFactorMissingSql } from './owns-factor.js';
import { ownSessionRepresentation } from './representation.js';

/**
 * A session ends after this long without a request. The value is the length of a dispatcher's
 * shift.
 */
export const SESSION_IDLE_LIFETIME = "interval '12 hours'";
/** A session ends after this time, even if it is still in use. */
export const SESSION_MAX_LIFETIME = "interval '7 days'";

export interface SignInCandidate {
  tenant_id: string;
  id: string;
  name: string;
  email: string;
  password_hash: string;
  sign_in_addresses: KnownAddresses;
}

const CANDIDATE_COLUMNS = 'tenant_id, id, name, email, password_hash, sign_in_addresses';

/**
 * Maximum number of accounts for which one sign-in checks the password. Each check is expensive. If
 * more accounts have the email address, the client must send `tenant_id`.
 */
const MAX_CANDIDATES = 5;
/** Maximum number of accounts for which one request mails a link to set the password. */
const MAX_RESET_CANDIDATES = 20;

/**
 * SQL order that puts people first who have proved that they own the address. Otherwise a stranger
 * could add the address to several accounts, and the owner's own account might not be found.
 */
const PROVED_FIRST = 'email_proved_at is null, created_at, id';

/**
 * Finds people with this email address who can sign in, at most {@link MAX_CANDIDATES}. Searches
 * all accounts, or only `tenantId` if it is given. Throws if PostgreSQL is unreachable.
 */
export function findSignInCandidates(
  db: Database,
  { email, tenantId }: { email: string; tenantId: string | undefined },
): Promise<SignInCandidate[]> {
  const address = email.toLowerCase();
  return db.readByEmail<SignInCandidate>(address, {
    name: 'find-candidates',
    text: `select ${CANDIDATE_COLUMNS} from users
           where lower(email) = $1 and deactivated_at is null and password_hash <> $3 and ($2::uuid is null or tenant_id = $2)
           order by ${PROVED_FIRST} limit ${MAX_CANDIDATES}`,
    values: [address, tenantId ?? null, UNUSABLE_PASSWORD_HASH],
  });
}

/**
 * Finds the people who may set a new password by a link mailed to this address, at most
 * {@link MAX_RESET_CANDIDATES}. Omits people without a password. Also omits people whose address
 * was set with a key: otherwise the holder of a key could add a person, or change a person's
 * address, and then sign in as that person.
 */
export function findResetCandidates(db: Database, email: string): Promise<SignInCandidate[]> {
  const address = email.toLowerCase();
  return db.readByEmail<SignInCandidate>(address, {
    name: 'find-reset-candidates',
    text: `select ${CANDIDATE_COLUMNS} from users
           where lower(email) = $1 and deactivated_at is null and password_hash <> $2 and not is_email_set_by_key
           order by email_proved_at desc nulls last, created_at, id limit ${MAX_RESET_CANDIDATES}`,
    values: [address, UNUSABLE_PASSWORD_HASH],
  });
}

/** Reads an active person, for the second step of a sign-in. */
export async function readSignInCandidate(
  db: Database,
  person: RecordRef,
): Promise<SignInCandidate | undefined> {
  const [row] = await db.read<SignInCandidate>(person.tenant_id, {
    name: 'read-candidate',
    text: `select ${CANDIDATE_COLUMNS} from users where tenant_id = $1 and id = $2 and deactivated_at is null`,
    values: [person.tenant_id, person.id],
  });
  return row;
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
  is_factor_missing: boolean;
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
      text: `select u.name, u.role, u.deactivated_at, ${isFactorMissingSql('u')} as is_factor_missing
             from users u join tenants n on n.tenant_id = u.tenant_id where u.tenant_id = $1 and u.id = $2`,
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
    session: { id: row.id, tenantId: row.tenant_id, isFactorMissing: user.is_factor_missing },
  };
}

/** Extends the idle lifetime of sessions that were used. An expired session stays expired. */
export function extendSessions(db: Database, uses: CredentialUse[]): Promise<void> {
  return storeUses(db, uses, {
    name: 'touch-sessions',
    text: `update sessions t set idle_expires_at = greatest(t.idle_expires_at, least(r.at + ${SESSION_IDLE_LIFETIME}, t.expires_at)),
             last_used_at = greatest(t.last_used_at, r.at)
           from ${recordsetSql('tenant_id uuid, id uuid, at timestamptz')} where t.tenant_id = r.tenant_id and t.id = r.id
             and t.idle_expires_at > r.at`,
  });
}

/** Lists the person's sessions that have neither ended nor expired. */
export function listOwnSessions(query: OwnSessionListQuery, scope: ListScope): SqlQuery {
  return buildListQuery({
    table: 'sessions',
    representation: ownSessionRepresentation('t'),
    conditions: new Conditions()
      .add('t.tenant_id = ?', scope.tenantId)
      .add('t.user_id = ?', scope.personId)
      .add('t.ended_at is null and least(t.idle_expires_at, t.expires_at) > now()'),
    limit: query.limit,
    position: scope.position,
  });
}
