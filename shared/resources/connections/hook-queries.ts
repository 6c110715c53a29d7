import type { Database } from '../../platform/postgres/database.js';
import type { ConnectionStatus } from './vocabulary.js';

/** A connection for which a vendor sent a webhook. */
export interface CalledConnection {
  tenant_id: string;
  id: string;
  vendor: string;
  environment: 'live' | 'sandbox';
  status: ConnectionStatus;
  settings: Record<string, unknown>;
}

const COLUMNS = 'c.tenant_id, c.id, c.vendor, c.environment, c.status, c.settings';

export async function readCalledConnection(
  db: Database,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
): Promise<(CalledConnection & { sealed: string | null }) | undefined> {
  const [row] = await db.read<CalledConnection & { sealed: string | null }>(tenantId, {
    name: 'read-called-connection',
    text: `select ${COLUMNS}, k.sealed from connections c
           left join connection_secrets k on k.tenant_id = c.tenant_id and k.connection_id = c.id
           where c.tenant_id = $1 and c.id = $2 and c.status <> 'revoked'`,
    values: [tenantId, connectionId],
    isKeyLookup: true,
  });
  return row;
}

/**
 * Several connections may lead to the same account at a vendor. A webhook about that account is
 * stored for at most this many of them.
 */
const MAX_CONNECTIONS_OF_ACCOUNT = 20;

/**
 * Finds the connections to an account at a vendor. The search covers all tenants, because a webhook
 * names only that account.
 * @param hash is the result of `hashExternalAccount`
 */
export function findConnectionsOfAccount(db: Database, hash: Buffer): Promise<CalledConnection[]> {
  return db.readByKeyHash<CalledConnection>(hash, {
    name: 'find-connections-of-account',
    text: `select ${COLUMNS} from connections c
           where c.account_hash = $1 and c.status <> 'revoked' limit ${MAX_CONNECTIONS_OF_ACCOUNT}`,
    values: [hash],
  });
}

/** Returns the given `dedupeIds` that are already stored for the connection. */
export async function findStoredNotices(
  db: Database,
  { tenant_id: tenantId, id: connectionId }: CalledConnection,
  dedupeIds: readonly string[],
): Promise<string[]> {
  const rows = await db.read<{ dedupe_id: string }>(tenantId, {
    name: 'find-stored-notices',
    text: `select dedupe_id from inbound_notices
           where tenant_id = $1 and connection_id = $2 and dedupe_id = any ($3)`,
    values: [tenantId, connectionId, dedupeIds],
    isKeyLookup: true,
  });
  return rows.map(({ dedupe_id: id }) => id);
}

/** A sign-in that has started, is not completed and has not expired. */
export interface OpenSignIn {
  connection_id: string;
  vendor: string;
  /** The tenant's name. Only the operator can change it. */
  account: string;
  environment: 'live' | 'sandbox';
  verifier_sealed: string;
  session_id: string | null;
}

/**
 * Reads an open sign-in. Returns undefined if the sign-in is unknown, completed or expired.
 * @param hash is the SHA-256 of the state, in hexadecimal digits
 */
export async function readSignIn(
  db: Database,
  { tenantId, attemptId, hash }: { tenantId: string; attemptId: string; hash: string },
): Promise<OpenSignIn | undefined> {
  const [row] = await db.read<OpenSignIn>(tenantId, {
    name: 'read-oauth-attempt',
    text: `select a.connection_id, c.vendor, t.name as account, c.environment, a.verifier_sealed, a.session_id from oauth_attempts a
           join connections c on c.tenant_id = a.tenant_id and c.id = a.connection_id
           join tenants t on t.tenant_id = a.tenant_id
           where a.tenant_id = $1 and a.id = $2 and a.state_hash = decode($3, 'hex') and a.used_at is null and a.expires_at > now()`,
    values: [tenantId, attemptId, hash],
  });
  return row;
}
