import type { Database } from '../platform/postgres/database.js';
import { type EndpointQueueRef, listQueueTenants } from '../queues/webhooks.js';
import { createLeaseQueries, type LeasedTable, type LeaseRef } from '../records/lease-queries.js';
import { type RecordRef, recordsetSql } from '../records/record-refs.js';
import type { EndpointQueueHealth } from './queue-health.js';

export interface LeaseResult extends EndpointQueueRef {
  isAcquired: boolean;
  health: EndpointQueueHealth;
  /**
   * The endpoint's `updated_at`, read no later than `health`. If the endpoint changes after this
   * read, the worker later finds a different version and reads the health again.
   */
  version: string;
}

/** A lease on an endpoint queue. `owner` is the id of the lease. */
export interface EndpointLease extends EndpointQueueRef {
  owner: string;
}

const epochMsSql = (column: string) => `(extract(epoch from l.${column}) * 1000)::float8`;

const toLeaseRow = ({ tenantId, endpointId, owner }: EndpointLease): LeaseRef => ({
  tenant_id: tenantId,
  id: endpointId,
  owner,
});

const toQueueRef = ({ tenant_id, id }: RecordRef): EndpointQueueRef => ({
  tenantId: tenant_id,
  endpointId: id,
});

interface HealthRow extends RecordRef {
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

const HEALTH_COLUMNS = `l.consecutive_failures, ${epochMsSql('failing_since')} as failing_since, ${epochMsSql('last_success_at')} as last_success_at,
  ${epochMsSql('last_failure_at')} as last_failure_at, l.last_error, l.opened, ${epochMsSql('open_until')} as open_until,
  ${epochMsSql('throttled_until')} as throttled_until, l.is_slow, l.stop_reason, l.exhausted_count, l.last_exhausted_id`;

const LEASED_ENDPOINT_QUEUES: LeasedTable = {
  table: 'webhook_lanes',
  idColumn: 'endpoint_id',
  join: 'join webhook_endpoints p on p.tenant_id = r.tenant_id and p.id = r.id',
  asked: ', p.updated_at::text as version',
  returned: `, a.version, ${HEALTH_COLUMNS}`,
};

const leaseQueries = createLeaseQueries<HealthRow>(LEASED_ENDPOINT_QUEUES);

/**
 * Leases the queues that are free. If another process has leased a queue, marks the queue as woken.
 * The result omits queues that do not exist.
 * @param takesEnded if true, a queue whose lease has ended without a release counts as free
 */
export async function acquireLeases(
  db: Database,
  leases: EndpointLease[],
  takesEnded: boolean,
): Promise<LeaseResult[]> {
  const rows = await leaseQueries.acquire(db, leases.map(toLeaseRow), takesEnded);
  return rows.map((row) => ({
    ...toQueueRef(row),
    isAcquired: row.is_mine,
    health: parseHealth(row),
    version: row.version,
  }));
}

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

/**
 * Reads the health of leased queues again. A command may have changed the health: for example, a
 * user enabled the endpoint again.
 */
export async function readEndpointHealth(
  db: Database,
  leases: EndpointLease[],
): Promise<(EndpointQueueRef & { health: EndpointQueueHealth })[]> {
  // No commit, so that it also reads the queues of frozen accounts.
  const rows = await db.runAndRollBack(listQueueTenants(leases), (tx) =>
    tx.query<Omit<HealthRow, 'is_mine' | 'version'>>({
      name: 'read-lanes',
      text: `select l.tenant_id, l.endpoint_id as id, ${HEALTH_COLUMNS}
             from ${recordsetSql('tenant_id uuid, id uuid')} join webhook_lanes l on l.tenant_id = r.tenant_id and l.endpoint_id = r.id`,
      values: [JSON.stringify(leases.map(toLeaseRow))],
    }),
  );
  return rows.map((row) => ({ ...toQueueRef(row), health: parseHealth(row) }));
}

/**
 * An endpoint queue whose lease this process still had when the query ran. `isWoken` is true if
 * another process has woken the queue.
 */
interface UpdatedLease extends EndpointQueueRef {
  isWoken: boolean;
}

/** Extends leases. The result omits each lease that this process has lost. */
export async function renewLeases(db: Database, leases: EndpointLease[]): Promise<UpdatedLease[]> {
  const rows = await leaseQueries.renew(db, leases.map(toLeaseRow));
  return rows.map((row) => ({ ...toQueueRef(row), isWoken: row.is_woken }));
}

/** Releases leases. The result omits each lease that this process had lost already. */
export async function releaseLeases(db: Database, leases: EndpointLease[]): Promise<UpdatedLease[]> {
  const rows = await leaseQueries.release(db, leases.map(toLeaseRow));
  return rows.map((row) => ({ ...toQueueRef(row), isWoken: row.is_woken }));
}
