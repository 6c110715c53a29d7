import type { Database } from '../platform/postgres/database.js';
import { type EndpointQueueRef, listQueueTenants } from '../queues/webhooks.js';
import { recordsetSql } from '../records/record-refs.js';
import type { EndpointQueueHealth } from './queue-health.js';

/** Longer than a live process ever stalls. A killed process's endpoint queues wait this long. */
export const LEASE_SECONDS = 15;

export interface LeaseResult extends EndpointQueueRef {
  isAcquired: boolean;
  health: EndpointQueueHealth;
  /** The endpoint's updated_at, read no later than `health`. */
  version: string;
}

/** `owner` is the id of the lease. */
export interface EndpointLease extends EndpointQueueRef {
  owner: string;
}

const LEASE_COLUMNS = 'tenant_id uuid, endpoint_id uuid, owner uuid';
const epochMsSql = (column: string) => `(extract(epoch from l.${column}) * 1000)::float8`;

function toRows(leases: EndpointLease[]) {
  return JSON.stringify(
    leases.map(({ tenantId, endpointId, owner }) => ({
      tenant_id: tenantId,
      endpoint_id: endpointId,
      owner,
    })),
  );
}

interface HealthRow {
  tenant_id: string;
  endpoint_id: string;
  is_mine: boolean;
  version: string;
  consecutive_failures: number;
  failing_since: number | null;
  last_success_at: number | null;
  last_failure_at: number | null;
  last_error: string | null;
  opened: number;
  open_until: number | null;
  throttled_until: number | null;
  is_slow: boolean;
  stop_reason: EndpointQueueHealth['stopReason'];
  exhausted_count: number;
  last_exhausted_id: string | null;
}

/**
 * Acquires the free leases, and marks the other queues as woken. Omits queues that do not exist.
 */
export async function acquireLeases(db: Database, leases: EndpointLease[]): Promise<LeaseResult[]> {
  const rows = await db.transaction(listQueueTenants(leases), (tx) =>
    tx.query<HealthRow>({
      name: 'take-lanes',
      // All writers lock in this sequence, so that two workers with many queues cannot deadlock.
      text: `with asked as (
               select l.tenant_id, l.endpoint_id, r.owner, (l.owner is null or l.lease_until < now()) as is_free,
                 p.updated_at::text as version
               from ${recordsetSql(LEASE_COLUMNS)} join webhook_lanes l on l.tenant_id = r.tenant_id and l.endpoint_id = r.endpoint_id
               join webhook_endpoints p on p.tenant_id = r.tenant_id and p.id = r.endpoint_id
               order by l.tenant_id, l.endpoint_id for update of l
             )
             update webhook_lanes l set
               owner = case when a.is_free then a.owner else l.owner end,
               lease_until = case when a.is_free then now() + interval '${LEASE_SECONDS} s' else l.lease_until end,
               woken = not a.is_free
             from asked a where l.tenant_id = a.tenant_id and l.endpoint_id = a.endpoint_id
             returning l.tenant_id, l.endpoint_id, a.is_free as is_mine, a.version, ${HEALTH_COLUMNS}`,
      values: [toRows(leases)],
    }),
  );
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    endpointId: row.endpoint_id,
    isAcquired: row.is_mine,
    health: parseHealth(row),
    version: row.version,
  }));
}

const HEALTH_COLUMNS = `l.consecutive_failures, ${epochMsSql('failing_since')} as failing_since, ${epochMsSql('last_success_at')} as last_success_at,
  ${epochMsSql('last_failure_at')} as last_failure_at, l.last_error, l.opened, ${epochMsSql('open_until')} as open_until,
  ${epochMsSql('throttled_until')} as throttled_until, l.is_slow, l.stop_reason, l.exhausted_count, l.last_exhausted_id`;

function parseHealth(row: Omit<HealthRow, 'is_mine' | 'version'>): EndpointQueueHealth {
  return {
    consecutiveFailures: row.consecutive_failures,
    failingSince: row.failing_since,
    lastSuccessAt: row.last_success_at,
    lastFailureAt: row.last_failure_at,
    lastError: row.last_error,
    openCount: row.opened,
    openUntil: row.open_until,
    throttledUntil: row.throttled_until,
    isSlow: row.is_slow,
    stopReason: row.stop_reason,
    exhaustedCount: row.exhausted_count,
    lastExhaustedId: row.last_exhausted_id,
  };
}

/** Others may have changed the health: for example, a user enabled the endpoint again. */
export async function readEndpointHealth(
  db: Database,
  leases: EndpointLease[],
): Promise<(EndpointQueueRef & { health: EndpointQueueHealth })[]> {
  const rows = await db.transaction(listQueueTenants(leases), (tx) =>
    tx.query<Omit<HealthRow, 'is_mine' | 'version'>>({
      name: 'read-lanes',
      text: `select l.tenant_id, l.endpoint_id, ${HEALTH_COLUMNS}
             from ${recordsetSql(LEASE_COLUMNS)} join webhook_lanes l on l.tenant_id = r.tenant_id and l.endpoint_id = r.endpoint_id`,
      values: [toRows(leases)],
    }),
  );
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    endpointId: row.endpoint_id,
    health: parseHealth(row),
  }));
}

/** The result omits a lease that has ended. */
export function renewLeases(db: Database, leases: EndpointLease[]): Promise<UpdatedLease[]> {
  return updateLeases(db, leases, {
    name: 'renew-lanes',
    set: `lease_until = now() + interval '${LEASE_SECONDS} s'`,
  });
}

/** Returns the endpoint queues that were woken meanwhile; the caller must acquire them again. */
export async function releaseLeases(db: Database, leases: EndpointLease[]): Promise<EndpointQueueRef[]> {
  const released = await updateLeases(db, leases, {
    name: 'release-lanes',
    set: 'owner = null, lease_until = null',
  });
  return released.filter(({ isWoken }) => isWoken);
}

/** An endpoint queue that this process really held, and whether another process has woken it. */
interface UpdatedLease extends EndpointQueueRef {
  isWoken: boolean;
}

/** Updates only the leases that this process still holds, and clears their wake marks. */
async function updateLeases(
  db: Database,
  leases: EndpointLease[],
  { name, set }: { name: string; set: string },
): Promise<UpdatedLease[]> {
  const rows = await db.transaction(listQueueTenants(leases), (tx) =>
    tx.query<{ tenant_id: string; endpoint_id: string; is_woken: boolean }>({
      name,
      text: `with held as (
               select l.tenant_id, l.endpoint_id, l.woken
               from ${recordsetSql(LEASE_COLUMNS)} join webhook_lanes l on l.tenant_id = r.tenant_id and l.endpoint_id = r.endpoint_id
               where l.owner = r.owner order by l.tenant_id, l.endpoint_id for update of l
             )
             update webhook_lanes l set ${set}, woken = false
             from held h where l.tenant_id = h.tenant_id and l.endpoint_id = h.endpoint_id
             returning l.tenant_id, l.endpoint_id, h.woken as is_woken`,
      values: [toRows(leases)],
    }),
  );
  return rows.map((row) => ({ tenantId: row.tenant_id, endpointId: row.endpoint_id, isWoken: row.is_woken }));
}
