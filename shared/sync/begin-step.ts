import type { SqlQuery, Transaction } from '../platform/postgres/database.js';
import { buildNextWorkSql } from './find-due-connections.js';
import {
  type ConnectionHealth,
  type ConnectionQueueRow,
  parseConnectionHealth,
} from './lease-connection-queues.js';

export interface StepConnection {
  tenantId: string;
  connectionId: string;
  vendor: string;
  environment: 'live' | 'sandbox';
  status: string;
  settings: Record<string, unknown>;
  externalAccount: string | null;
  webhookUrl: string;
  /** The ids of revoked connections to the same account at the vendor. */
  earlierIds: readonly string[];
  health: ConnectionHealth;
  /** Version of the secrets, which increases with each change; null if no secrets are stored. */
  secretsVersion: number | null;
  /** False until the vendor has named the account to which newly stored secrets give access. */
  isVerified: boolean;
}

interface Row extends Omit<ConnectionQueueRow, 'is_mine'> {
  vendor: string;
  environment: 'live' | 'sandbox';
  status: string;
  settings: Record<string, unknown>;
  external_account: string | null;
  webhook_url: string;
  earlier_ids: string[];
  secrets_version: number | null;
  is_verified: boolean;
}

/**
 * Reads a connection, and locks its lease until the transaction ends. Returns undefined if `owner`
 * no longer has the lease.
 */
export async function lockHeldConnection(
  tx: Transaction,
  { tenantId, connectionId, owner }: { tenantId: string; connectionId: string; owner: string },
): Promise<StepConnection | undefined> {
  const [row] = await tx.query<Row>({
    name: 'lock-held-connection',
    text: `select l.tenant_id, l.connection_id as id, c.vendor, c.environment, c.status, c.settings, c.external_account, c.webhook_url,
             l.consecutive_failures, l.opened, (extract(epoch from l.open_until) * 1000)::float8 as open_until,
             (extract(epoch from l.throttled_until) * 1000)::float8 as throttled_until,
             k.version as secrets_version, k.verified is distinct from false as is_verified,
             array(select e.id from connections e where e.tenant_id = c.tenant_id and e.vendor = c.vendor
               and e.external_account = c.external_account and e.id <> c.id) as earlier_ids
           from connection_queues l join connections c on c.tenant_id = l.tenant_id and c.id = l.connection_id
           left join connection_secrets k on k.tenant_id = l.tenant_id and k.connection_id = l.connection_id
           where l.tenant_id = $1 and l.connection_id = $2 and l.owner = $3 and l.lease_until > now()
           for no key update of l`,
    values: [tenantId, connectionId, owner],
  });
  if (!row) return undefined;
  const {
    vendor,
    environment,
    status,
    settings,
    external_account: externalAccount,
    webhook_url: webhookUrl,
    earlier_ids: earlierIds,
  } = row;
  const { secrets_version: secretsVersion, is_verified: isVerified } = row;
  return {
    tenantId,
    connectionId,
    vendor,
    environment,
    status,
    settings,
    externalAccount,
    webhookUrl,
    earlierIds,
    health: parseConnectionHealth(row),
    secretsVersion,
    isVerified,
  };
}

/** Reads the settings of a connection as they are now. */
export async function readConnectionSettings(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
): Promise<Record<string, unknown> | undefined> {
  const [row] = await tx.query<{ settings: Record<string, unknown> }>({
    name: 'read-connection-settings',
    text: 'select settings from connections where tenant_id = $1 and id = $2',
    values: [tenantId, connectionId],
  });
  return row?.settings;
}

type ConnectionRef = Pick<StepConnection, 'tenantId' | 'connectionId'>;

/**
 * Returns the milliseconds until the next work of a connection is due; null if the connection has
 * no work.
 * @param kinds the kinds of records that this worker can write
 */
export async function findNextWorkMs(
  tx: Transaction,
  connection: ConnectionRef,
  kinds: readonly string[],
): Promise<number | null> {
  const [row] = await tx.query<NextWork>(buildNextWorkQuery(connection, kinds));
  return row?.in_ms ?? null;
}

/** Like {@link findNextWorkMs}, but after all other queries of the transaction. */
export function findNextWorkAtCommit(
  tx: Transaction,
  connection: ConnectionRef,
  { kinds, onFound }: { kinds: readonly string[]; onFound: (inMs: number | null) => void },
): void {
  tx.queryAtCommit<NextWork>(buildNextWorkQuery(connection, kinds), ([row]) => onFound(row?.in_ms ?? null));
}

interface NextWork {
  in_ms: number | null;
}

function buildNextWorkQuery({ tenantId, connectionId }: ConnectionRef, kinds: readonly string[]): SqlQuery {
  return {
    name: 'find-next-connection-work',
    text: `select (extract(epoch from ${buildNextWorkSql('o.kind = any($3::text[])')} - now()) * 1000)::float8 as in_ms
           from connections c where c.tenant_id = $1 and c.id = $2`,
    values: [tenantId, connectionId, kinds],
  };
}
