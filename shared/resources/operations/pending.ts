import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { takeTurns } from '../sweep-turns.js';

/** SQL: the tenants of this transaction. The policy only filters; an index can use this. */
export const IN_TENANTS = (alias: string) =>
  `${alias}.tenant_id = any (string_to_array(current_setting('app.tenant_ids'), ',')::uuid[])`;

/**
 * SQL, over `o` operations: it has run, or the work under its Idempotency-Key has been done. It
 * stays so, also when the kept answer is gone: `settled_at` remembers it.
 */
const IS_DONE = `(exists (select from audit_entries a where a.tenant_id = o.tenant_id and a.id = o.id)
  or exists (select from idempotency_keys k
             where k.tenant_id = o.tenant_id and k.key = (o.command #>> '{idempotency,key}')::uuid))`;

/**
 * SQL, over `o` operations: it has been set aside. `tow commands replay` undoes that, also one of
 * the version before, which does not know `settled_at`: so it never counts as settled.
 */
const IS_PARKED = `exists (select from command_attempts p
  where p.tenant_id = o.tenant_id and p.command_id = o.id and p.parked_at is not null)`;

/**
 * SQL, over `o` operations: it is still to run. However old it is: what was acknowledged runs, even
 * after a day without workers.
 */
export const UNSETTLED = `(o.settled_at is null and not ${IS_DONE} and not ${IS_PARKED})`;

/** Operations that a pass looks at: more than it leases, so that settled ones are soon marked. */
const LOOKED_PER_PASS = 2048;
/** Operations that {@link countPending} checks one by one. */
const CHECKED_PER_COUNT = 10_000;

const LEASE = `
  with looked as materialized (
    ${takeTurns(`select o.tenant_id, o.id from operations o
      where o.tenant_id = t.tenant_id and o.settled_at is null and o.lease_until < now()
      order by o.lease_until, o.id limit ${LOOKED_PER_PASS}`)}
    limit ${LOOKED_PER_PASS}
  ), locked as materialized (
    select o.tenant_id, o.id, l.turn, ${IS_DONE} as is_done, ${IS_PARKED} as is_parked
    from looked l join operations o on o.tenant_id = l.tenant_id and o.id = l.id
    where o.settled_at is null and o.lease_until < now()
    for update of o skip locked
  ), judged as materialized (
    select l.*, row_number() over (partition by l.is_done or l.is_parked order by l.turn) as place from locked l
  )
  update operations o set
    settled_at = case when j.is_done then now() end,
    -- A replay gives what was set aside a lease that is over; until then it must not be in the way.
    lease_until = case when j.is_done then o.lease_until when j.is_parked then now() + interval '1 hour'
      else now() + make_interval(secs => $1) end
  from judged j
  where o.tenant_id = j.tenant_id and o.id = j.id and (j.is_done or j.is_parked or j.place <= $2)
  returning case when not j.is_done and not j.is_parked then o.command end as command`;

/**
 * Takes pending operations whose lease ran out, renews the lease and returns their commands; marks
 * those that are settled, so that no later pass reads them. The accounts take turns, each with its
 * longest due first. Two clocks at once never take the same one.
 * @param limit commands at most, so that one pass stays short
 */
export async function leasePending(
  tx: Transaction,
  { leaseSeconds, limit }: { leaseSeconds: number; limit: number },
): Promise<Command[]> {
  const rows = await tx.query<{ command: Command | null }>({
    name: 'lease-operations',
    text: LEASE,
    values: [leaseSeconds, limit],
  });
  return rows.flatMap(({ command }) => command ?? []);
}

/**
 * How many operations of these tenants have not run yet. Beyond 10,000 that are not marked as
 * settled the others count unchecked: a check costs three probes, and the figure is a gauge.
 */
export async function countPending(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ count: number }>({
    name: 'count-operations',
    text: `select count(*)::int as count from (
             select o.*, row_number() over () as place from operations o
             where ${IN_TENANTS('o')} and o.settled_at is null) o
           where case when o.place <= ${CHECKED_PER_COUNT} then ${UNSETTLED} else true end`,
  });
  return row?.count ?? 0;
}
