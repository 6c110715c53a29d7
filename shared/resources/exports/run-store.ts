import type { Row, Transaction } from '../../platform/postgres.js';
import type { ClockTarget } from '../clock-command.js';
import { nextUpdatedAt, type RecordRef } from '../sets.js';
import { findInTurns } from '../sweep-turns.js';
import { MOST_TRIES } from './limits.js';
import type { ExportOrder } from './order.js';

/** An export that this worker, and no other, may make now. */
export interface ClaimedExport extends ExportOrder {
  id: string;
  environment: 'live' | 'sandbox';
  /** How often it was begun, this time included: the number of this run, which its result must name. */
  attempts: number;
  /** The same since it was last queued; at most {@link MOST_TRIES}. */
  tries: number;
  estimatedRows: number | null;
  /** A replica may be read from when it has replayed to here: PostgreSQL's text of a pg_lsn. */
  walLsn: string;
  /** RFC 3339. */
  createdAt: string;
}

/** Who holds an export, and for how long. */
export interface Lease {
  /** A UUID made for this claim alone: one of the same process that is late must not pass for it. */
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
 * Takes an export that is queued, or running under a lease that is over, for a while. One account has one running at a time.
 * @returns busy: another one of the account is running; undefined: it is not there to be taken, by nobody or not now
 */
export async function claimExport(
  tx: Transaction,
  { tenant_id, id }: RecordRef,
  { owner, leaseMs }: Lease,
): Promise<ClaimedExport | 'busy' | undefined> {
  // All of the account, in the order of the ids as whoever else locks exports: two claims at once must see each other.
  const open = await tx.query<OpenRow>({
    name: 'lock-open-exports',
    text: `select id, status, lease_until <= clock_timestamp() as is_due, tries from exports
           where tenant_id = $1 and status in ('queued', 'running') order by id for update`,
    values: [tenant_id],
  });
  const own = open.find((row) => row.id === id);
  if (!own?.is_due || own.tries >= MOST_TRIES) return undefined;
  if (open.some((row) => row.id !== id && row.status === 'running')) return 'busy';
  const [row] = await tx.query<Omit<ClaimedExport, 'filters'> & { filters: Record<string, unknown> }>({
    name: 'claim-export',
    text: `with taken as (
             update exports t set status = 'running', attempts = t.attempts + 1, tries = t.tries + 1, lease_owner = $3,
               lease_until = clock_timestamp() + make_interval(secs => $4), rows = 0, bytes = 0, error = null,
               started_at = clock_timestamp(), updated_at = ${nextUpdatedAt('t')}
             where t.tenant_id = $1 and t.id = $2 returning t.*)
           select t.tenant_id as "tenantId", t.id, t.resource, t.format, t.filters, t.include, t.compression, t.bom, t.decimals, t.attempts, t.tries,
             t.estimated_rows as "estimatedRows", t.wal_lsn::text as "walLsn", to_json(t.created_at) #>> '{}' as "createdAt",
             o.time_zone as "timeZone", o.environment
           from taken t join tenants o on o.tenant_id = t.tenant_id`,
    values: [tenant_id, id, owner, leaseMs / 1000],
  });
  if (!row) throw new Error('an export that was locked is gone');
  return { ...row, filters: asTexts(row.filters) };
}

/** As a query string would have them. */
function asTexts(filters: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)]));
}

/**
 * Goes on holding an export, and says how far it is. @param bytes of its object that were written so far
 * @returns false: it was cancelled or taken over, and nothing more may be done for it
 */
export async function renewExport(
  tx: Transaction,
  { tenant_id, id }: RecordRef,
  { owner, leaseMs, rows, bytes }: Lease & { rows: number; bytes: number },
): Promise<boolean> {
  const renewed = await tx.query({
    name: 'renew-export',
    text: `update exports t set lease_until = clock_timestamp() + make_interval(secs => $4), rows = $5, bytes = $6, updated_at = ${nextUpdatedAt('t')}
           where t.tenant_id = $1 and t.id = $2 and t.status = 'running' and t.lease_owner = $3 returning t.id`,
    values: [tenant_id, id, owner, leaseMs / 1000, rows, bytes],
  });
  return renewed.length > 0;
}

/**
 * Gives an export back to be tried again: after a failure that may pass, or by a worker that ends. @param delayMs until then
 * @param isTry false: the try does not count, for nothing was wrong with it
 * @returns false: it was not this owner's any more
 */
export async function releaseExport(
  tx: Transaction,
  { tenant_id, id }: RecordRef,
  { owner, delayMs, isTry = true }: { owner: string; delayMs: number; isTry?: boolean },
): Promise<boolean> {
  const released = await tx.query({
    name: 'release-export',
    text: `update exports t set status = 'queued', lease_owner = null, lease_until = clock_timestamp() + make_interval(secs => $4),
             tries = t.tries - case when $5 then 0 else 1 end, rows = 0, bytes = 0, updated_at = ${nextUpdatedAt('t')}
           where t.tenant_id = $1 and t.id = $2 and t.status = 'running' and t.lease_owner = $3 returning t.id`,
    values: [tenant_id, id, owner, delayMs / 1000, isTry],
  });
  return released.length > 0;
}

/** An object in storage that no export shows any more. */
export interface DiscardedObject extends RecordRef {
  object_key: string;
}

/**
 * Objects of this transaction's tenants to be deleted: what they are of has expired, or begins
 * again. The accounts take turns, so one whose objects cannot be deleted does not keep the others
 * waiting.
 */
export function findDiscardedObjects(tx: Transaction, limit: number): Promise<DiscardedObject[]> {
  return findInTurns<DiscardedObject & ClockTarget>(tx, {
    name: 'discarded-export-objects',
    rows: `select e.tenant_id, e.id, e.object_key from exports e
           where e.tenant_id = t.tenant_id and e.object_key is not null and e.status <> 'completed' order by e.id`,
    limit,
  });
}

/** Notes that storage does not have the object any more. One that has come in its place meanwhile is left alone. */
export async function forgetObject(
  tx: Transaction,
  { tenant_id, id, object_key }: DiscardedObject,
): Promise<void> {
  await tx.query({
    name: 'forget-export-object',
    text: `update exports set object_key = null where tenant_id = $1 and id = $2 and object_key = $3 and status <> 'completed'`,
    values: [tenant_id, id, object_key],
  });
}
