import type { Row, Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import type { RecordRef } from '../../records/record-refs.js';
import type { ClockTarget } from '../../records/sweeps/clock-command.js';
import { findRowsRoundRobin } from '../../records/sweeps/sweep-round-robin.js';
import { MAX_EXPORT_TRIES } from './limits.js';
import type { ExportRequest } from './request/export-request.js';

/** An export that this worker has leased, so that no other worker may write it. */
export interface LeasedExport extends ExportRequest {
  id: string;
  environment: 'live' | 'sandbox';
  /**
   * The number of times that the export was started, including this run. The result of the run must
   * contain this number.
   */
  attempts: number;
  /**
   * The number of times that the export was started since it was created or last retried. At most
   * {@link MAX_EXPORT_TRIES}.
   */
  tries: number;
  estimatedRows: number | null;
  /**
   * A position in PostgreSQL's write-ahead log, as the text of a pg_lsn. The run may read from a
   * replica only if the replica has replayed the log up to this position.
   */
  walLsn: string;
  /** RFC 3339 time. */
  createdAt: string;
}

export interface ExportLeaseTerms {
  /**
   * The id of the lease. Each run has a new UUID, so that an earlier run of the same process cannot
   * renew the lease.
   */
  owner: string;
  leaseMs: number;
}

interface OpenRow extends Row {
  id: string;
  status: 'queued' | 'running';
  is_due: boolean;
  tries: number;
}

/**
 * Leases an export that is queued, or that is running under an expired lease. Only one export of an
 * account runs at a time.
 * @returns `busy` if another export of the account is running; undefined if the requested export
 * cannot be leased
 */
export async function leaseExport(
  tx: Transaction,
  { tenant_id, id }: RecordRef,
  { owner, leaseMs }: ExportLeaseTerms,
): Promise<LeasedExport | 'busy' | undefined> {
  // Lock all open exports of the account, so that concurrent calls cannot lease two of them. All
  // code that locks exports sorts them by id, to avoid deadlocks.
  const open = await tx.query<OpenRow>({
    name: 'lock-open-exports',
    text: `select id, status, lease_until <= clock_timestamp() as is_due, tries from exports
           where tenant_id = $1 and status in ('queued', 'running') order by id for update`,
    values: [tenant_id],
  });
  const requested = open.find((row) => row.id === id);
  if (!requested?.is_due || requested.tries >= MAX_EXPORT_TRIES) return undefined;
  if (open.some((row) => row.id !== id && row.status === 'running')) return 'busy';
  const [row] = await tx.query<Omit<LeasedExport, 'filters'> & { filters: Record<string, unknown> }>({
    name: 'claim-export',
    text: `with taken as (
             update exports t set status = 'running', attempts = t.attempts + 1, tries = t.tries + 1, lease_owner = $3,
               lease_until = clock_timestamp() + make_interval(secs => $4), rows = 0, bytes = 0, error = null,
               started_at = clock_timestamp(), updated_at = ${nextUpdatedAtSql('t')}
             where t.tenant_id = $1 and t.id = $2 returning t.*)
           select t.tenant_id as "tenantId", t.id, t.resource, t.format, t.filters, t.include, t.compression, t.bom, t.decimals, t.attempts, t.tries,
             t.estimated_rows as "estimatedRows", t.wal_lsn::text as "walLsn", to_json(t.created_at) #>> '{}' as "createdAt",
             o.time_zone as "timeZone", o.environment
           from taken t join tenants o on o.tenant_id = t.tenant_id`,
    values: [tenant_id, id, owner, leaseMs / 1000],
  });
  if (!row) throw new Error('a locked export is missing');
  return { ...row, filters: filtersToText(row.filters) };
}

/** Converts the values of filters to text, as in a query string. */
function filtersToText(filters: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)]));
}

/**
 * Renews the lease and stores the progress. `bytes` is the size of the data written to storage so
 * far.
 * @returns false if the export was cancelled or taken over; the worker must then stop
 */
export async function renewExportLease(
  tx: Transaction,
  { tenant_id, id }: RecordRef,
  { owner, leaseMs, rows, bytes }: ExportLeaseTerms & { rows: number; bytes: number },
): Promise<boolean> {
  const renewed = await tx.query({
    name: 'renew-export',
    text: `update exports t set lease_until = clock_timestamp() + make_interval(secs => $4), rows = $5, bytes = $6, updated_at = ${nextUpdatedAtSql('t')}
           where t.tenant_id = $1 and t.id = $2 and t.status = 'running' and t.lease_owner = $3 returning t.id`,
    values: [tenant_id, id, owner, leaseMs / 1000, rows, bytes],
  });
  return renewed.length > 0;
}

/**
 * Queues an export again after a run without a result. If `isTry` is false, the run does not count
 * as a try, because the run did not fail.
 * @returns false if the lease had already been lost
 */
export async function releaseExport(
  tx: Transaction,
  { tenant_id, id }: RecordRef,
  { owner, delayMs, isTry = true }: { owner: string; delayMs: number; isTry?: boolean },
): Promise<boolean> {
  const released = await tx.query({
    name: 'release-export',
    text: `update exports t set status = 'queued', lease_owner = null, lease_until = clock_timestamp() + make_interval(secs => $4),
             tries = t.tries - case when $5 then 0 else 1 end, rows = 0, bytes = 0, updated_at = ${nextUpdatedAtSql('t')}
           where t.tenant_id = $1 and t.id = $2 and t.status = 'running' and t.lease_owner = $3 returning t.id`,
    values: [tenant_id, id, owner, delayMs / 1000, isTry],
  });
  return released.length > 0;
}

/** An object in storage that no longer belongs to a completed export. */
export interface DiscardedObject extends RecordRef {
  object_key: string;
}

/**
 * Finds objects of exports that are no longer completed, for example because the exports expired or
 * were restarted. The accounts share the limit round-robin, so failing deletions in one account do
 * not delay the others.
 */
export function findDiscardedObjects(tx: Transaction, limit: number): Promise<DiscardedObject[]> {
  return findRowsRoundRobin<DiscardedObject & ClockTarget>(tx, {
    name: 'discarded-export-objects',
    rows: `select e.tenant_id, e.id, e.object_key from exports e
           where e.tenant_id = t.tenant_id and e.object_key is not null and e.status <> 'completed' order by e.id`,
    limit,
  });
}

/**
 * Clears the key of a deleted object. If the export has a newer object, keeps that object's key.
 */
export async function clearObjectKey(
  tx: Transaction,
  { tenant_id, id, object_key }: DiscardedObject,
): Promise<void> {
  await tx.query({
    name: 'forget-export-object',
    text: `update exports set object_key = null where tenant_id = $1 and id = $2 and object_key = $3 and status <> 'completed'`,
    values: [tenant_id, id, object_key],
  });
}
