import type { Command } from '../contracts/command.js';
import type { Transaction } from '../platform/postgres/database.js';
import { isInSessionTenants } from '../records/session-tenants.js';
import { buildRoundRobinSql } from '../records/sweeps/sweep-round-robin.js';

/**
 * SQL condition on operations `o`: true if the command has run, or if another command has done the
 * work under the same Idempotency-Key. `settled_at` also records that an operation is done, because
 * the idempotency record is deleted later.
 */
const IS_DONE = `(exists (select from audit_entries a where a.tenant_id = o.tenant_id and a.id = o.id)
  or exists (select from idempotency_keys k
             where k.tenant_id = o.tenant_id and k.key = (o.command #>> '{idempotency,key}')::uuid))`;

/**
 * SQL condition on operations `o`: true if the command is parked. A parked operation must never get
 * a `settled_at`: `tow commands replay` does not clear this column, so the replayed command would
 * not run.
 */
const IS_PARKED = `exists (select from command_attempts p
  where p.tenant_id = o.tenant_id and p.command_id = o.id and p.parked_at is not null)`;

/**
 * SQL condition on operations `o`: true if the command has yet to run. The condition ignores the
 * command's age, because an acknowledged command must run even after a day without workers.
 */
export const IS_PENDING = `(o.settled_at is null and not ${IS_DONE} and not ${IS_PARKED})`;

/**
 * Maximum number of operations that one pass reads. It is higher than the number of leases per
 * pass, so that finished operations are soon marked as settled.
 */
const READ_PER_PASS = 2048;
const CHECKED_PER_COUNT = 10_000;

const LEASE_QUERY = `
  with looked as materialized (
    ${buildRoundRobinSql(`select o.tenant_id, o.id from operations o
      where o.tenant_id = t.tenant_id and o.settled_at is null and o.lease_until < now()
      order by o.lease_until, o.id limit ${READ_PER_PASS}`)}
    limit ${READ_PER_PASS}
  ), locked as materialized (
    select o.tenant_id, o.id, l.round, ${IS_DONE} as is_done, ${IS_PARKED} as is_parked
    from looked l join operations o on o.tenant_id = l.tenant_id and o.id = l.id
    where o.settled_at is null and o.lease_until < now()
    for update of o skip locked
  ), judged as materialized (
    select l.*, row_number() over (partition by l.is_done or l.is_parked order by l.round) as place from locked l
  )
  update operations o set
    settled_at = case when j.is_done then now() end,
    -- A replay sets the lease of a parked operation to a past time; until then it must not be in the way.
    lease_until = case when j.is_done then o.lease_until when j.is_parked then now() + interval '1 hour'
      else now() + make_interval(secs => $1) end
  from judged j
  where o.tenant_id = j.tenant_id and o.id = j.id and (j.is_done or j.is_parked or j.place <= $2)
  returning case when not j.is_done and not j.is_parked then o.command end as command`;

/**
 * Leases pending operations whose lease has expired, and returns their commands. Also sets
 * `settled_at` on finished operations, so that no later pass reads them. Picks operations
 * round-robin from the accounts. Within an account, picks those that have been due longest.
 * Concurrent clocks never lease the same operation.
 * @param limit maximum number of leased commands, so that one pass stays short
 */
export async function leasePending(
  tx: Transaction,
  { leaseSeconds, limit }: { leaseSeconds: number; limit: number },
): Promise<Command[]> {
  const rows = await tx.query<{ command: Command | null }>({
    name: 'lease-operations',
    text: LEASE_QUERY,
    values: [leaseSeconds, limit],
  });
  return rows.flatMap(({ command }) => command ?? []);
}

export interface PendingOperations {
  count: number;
  /** Age of the oldest pending operation; 0 if none is pending. */
  oldest_seconds: number;
}

/**
 * Measures the operations of the transaction's tenants that have not run yet. The check of one
 * operation costs three index probes, so this function checks only 10,000 operations. It counts
 * every further unsettled operation as pending, which is precise enough for a gauge.
 */
export async function measurePending(tx: Transaction): Promise<PendingOperations> {
  const [row] = await tx.query<PendingOperations>({
    name: 'measure-operations',
    text: `select count(*)::int as count,
             coalesce(extract(epoch from now() - min(o.created_at)), 0)::float8 as oldest_seconds from (
             select o.*, row_number() over () as place from operations o
             where ${isInSessionTenants('o')} and o.settled_at is null) o
           where case when o.place <= ${CHECKED_PER_COUNT} then ${IS_PENDING} else true end`,
  });
  return row ?? { count: 0, oldest_seconds: 0 };
}

/** True if this actor has submitted a command that has not run yet. */
export async function hasPendingCommands(
  tx: Transaction,
  tenantId: string,
  actorId: string,
): Promise<boolean> {
  const rows = await tx.query({
    name: 'find-pending-commands-of-actor',
    text: `select from operations o
           where o.tenant_id = $1 and o.command #>> '{actor,id}' = $2 and ${IS_PENDING} limit 1`,
    values: [tenantId, actorId],
  });
  return rows.length > 0;
}
