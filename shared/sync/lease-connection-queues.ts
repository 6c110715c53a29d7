import type { Transaction } from '../platform/postgres/database.js';
import { type AcquiredRow, createLeaseQueries, type LeasedTable } from '../records/lease-queries.js';
import { type RecordRef, recordsetSql } from '../records/record-refs.js';

/** The pauses and failures of a connection's queue. Times are in ms since 1970. */
export interface ConnectionHealth {
  consecutiveFailures: number;
  openCount: number;
  openUntil: number | null;
  throttledUntil: number | null;
}

export interface ConnectionQueueRow extends AcquiredRow {
  vendor: string;
  consecutive_failures: number;
  opened: number;
  open_until: number | null;
  throttled_until: number | null;
}

const epochMsSql = (column: string) => `(extract(epoch from l.${column}) * 1000)::float8 as ${column}`;

const LEASED_CONNECTION_QUEUES: LeasedTable = {
  table: 'connection_queues',
  idColumn: 'connection_id',
  returned: `, l.consecutive_failures, l.opened, ${epochMsSql('open_until')}, ${epochMsSql('throttled_until')},
    (select c.vendor from connections c where c.tenant_id = l.tenant_id and c.id = l.connection_id) as vendor`,
};

export const connectionLeases = createLeaseQueries<ConnectionQueueRow>(LEASED_CONNECTION_QUEUES);

export function parseConnectionHealth(row: Omit<ConnectionQueueRow, 'is_mine'>): ConnectionHealth {
  return {
    consecutiveFailures: row.consecutive_failures,
    openCount: row.opened,
    openUntil: row.open_until,
    throttledUntil: row.throttled_until,
  };
}

export interface StepHealth extends ConnectionHealth {
  /**
   * True if a call of the step showed that the vendor works. False if a call showed that the vendor
   * does not work. Undefined if the calls showed neither.
   */
  hasSucceeded: boolean | undefined;
  lastError: string | null;
  calls: number;
  failures: number;
}

export function storeConnectionHealth(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  health: StepHealth,
): void {
  const toTime = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  tx.queryAtCommit({
    name: 'store-connection-health',
    text: `update connection_queues l set consecutive_failures = $3, opened = $4, open_until = $5, throttled_until = $6,
             last_success_at = case when $7::boolean then now() else l.last_success_at end,
             last_failure_at = case when not $7::boolean then now() else l.last_failure_at end,
             last_error = case when $7::boolean then null else coalesce($8, l.last_error) end,
             window_started_at = case when l.window_started_at < now() - interval '1 hour' then now() else l.window_started_at end,
             window_calls = $9 + case when l.window_started_at < now() - interval '1 hour' then 0 else l.window_calls end,
             window_failures = $10 + case when l.window_started_at < now() - interval '1 hour' then 0 else l.window_failures end
           where l.tenant_id = $1 and l.connection_id = $2`,
    values: [
      tenantId,
      connectionId,
      health.consecutiveFailures,
      health.openCount,
      toTime(health.openUntil),
      toTime(health.throttledUntil),
      health.hasSucceeded ?? null,
      health.lastError,
      health.calls,
      health.failures,
    ],
  });
}

export async function insertConnectionQueues(tx: Transaction, refs: readonly RecordRef[]): Promise<void> {
  await tx.query({
    name: 'insert-connection-queues',
    text: `insert into connection_queues (tenant_id, connection_id)
           select r.tenant_id, r.id from ${recordsetSql('tenant_id uuid, id uuid')}`,
    values: [JSON.stringify(refs)],
  });
}

export async function lockConnectionQueues(tx: Transaction, refs: readonly RecordRef[]): Promise<void> {
  await tx.query({
    name: 'lock-connection-queues',
    text: `select 1 from ${recordsetSql('tenant_id uuid, id uuid')}
           join connection_queues l on l.tenant_id = r.tenant_id and l.connection_id = r.id
           order by l.tenant_id, l.connection_id for no key update of l`,
    values: [JSON.stringify(refs)],
  });
}

/**
 * Ends the pauses that followed failures. Call this after the account has changed or tested the
 * connections. Pauses for a vendor's rate limit stay.
 */
export async function resumeConnectionQueues(tx: Transaction, refs: readonly RecordRef[]): Promise<void> {
  await tx.query({
    name: 'resume-connection-queues',
    text: `update connection_queues l set consecutive_failures = 0, opened = 0, open_until = null
           from ${recordsetSql('tenant_id uuid, id uuid')}
           where l.tenant_id = r.tenant_id and l.connection_id = r.id`,
    values: [JSON.stringify(refs)],
  });
}

/**
 * Records that a webhook arrived now. Leaves out a connection whose last recorded webhook arrived
 * less than ten seconds ago, and one whose queue is locked: the time need not be exact, and a
 * webhook must not wait for the connection's running step.
 */
export async function recordWebhookArrivals(tx: Transaction, refs: readonly RecordRef[]): Promise<void> {
  await tx.query({
    name: 'record-webhook-arrivals',
    text: `with locked as materialized (
             select l.tenant_id, l.connection_id from connection_queues l
             join (select distinct r.tenant_id, r.id from ${recordsetSql('tenant_id uuid, id uuid')}) r
               on l.tenant_id = r.tenant_id and l.connection_id = r.id
             where ${IS_ARRIVAL_OLD}
             order by l.tenant_id, l.connection_id for no key update of l skip locked)
           update connection_queues l set last_webhook_at = now() from locked k
           where l.tenant_id = k.tenant_id and l.connection_id = k.connection_id`,
    values: [JSON.stringify(refs)],
  });
}

const IS_ARRIVAL_OLD = "(l.last_webhook_at is null or l.last_webhook_at < now() - interval '10 seconds')";
