import type { Transaction } from '../platform/postgres/database.js';
import { buildRoundRobinSql } from '../records/sweeps/sweep-round-robin.js';
import { IS_NEXT_OF_RECORD_SQL } from './operation-rows.js';
import { DESCRIBE_STREAM } from './stream-rows.js';

export interface DueConnection {
  tenant_id: string;
  id: string;
}

/**
 * Builds SQL for the time when the next work of connection `c` is due; null while the connection is
 * paused. Omits work that a worker would not start now. Otherwise workers would be woken for such
 * work again and again.
 * @param isKnown SQL condition that is true if the worker can run operation `o`
 */
export function buildNextWorkSql(isKnown = 'true'): string {
  const ofConnection = (row: string) => `${row}.tenant_id = c.tenant_id and ${row}.connection_id = c.id`;
  return `least(
  (select o.next_at from outbound_operations o where ${ofConnection('o')} and o.next_at is not null and ${isKnown}
     and c.status in ('active', 'failing') and ${IS_VERIFIED_SQL} and ${IS_NEXT_OF_RECORD_SQL} order by o.next_at limit 1),
  (select min(s.next_at) from sync_states s where ${ofConnection('s')}
     and ((c.status in ('active', 'failing') and ${IS_VERIFIED_SQL})
       or (c.status in ('active', 'failing', 'pending', 'needs_reauth') and s.stream = '${DESCRIBE_STREAM}'))),
  (select w.due_at from inbound_notices w where ${ofConnection('w')} and w.is_waiting
     and c.status in ('active', 'failing') and ${IS_VERIFIED_SQL} order by w.due_at limit 1),
  (select r.next_at from book_reconciliations r where ${ofConnection('r')}
     and c.status in ('active', 'failing') and ${IS_VERIFIED_SQL}),
  (select now() from outbound_operations o where ${ofConnection('o')} and o.next_at is not null and ${isKnown}
     and c.status = 'revoked' limit 1),
  (select coalesce(k.revoke_at, now()) from connection_secrets k where ${ofConnection('k')} and c.status = 'revoked'))`;
}

/**
 * SQL condition: connection `c` has no secrets, or the vendor has named the account to which its
 * secrets give access.
 */
const IS_VERIFIED_SQL = `not exists (
  select from connection_secrets v where v.tenant_id = c.tenant_id and v.connection_id = c.id and not v.verified)`;

export const NEXT_WORK_SQL = buildNextWorkSql();

/**
 * SQL condition: work of connection `c` was due at the given time, and no worker has the lease of
 * its queue `l`. While the queue is paused after a failure or for a rate limit, its work is not
 * due. For a revoked connection, such pauses do not count. The query must join
 * {@link NEXT_WORK_SQL} as `n.next_at`.
 */
export const isUnheldSinceSql = (time: string) => `((l.owner is null or l.lease_until < now())
  and n.next_at is not null
  and greatest(n.next_at, case when c.status <> 'revoked' then greatest(l.open_until, l.throttled_until) end) <= ${time})`;

/**
 * Finds connections that have due work but no worker. Their job was lost, their worker died, or the
 * work has just become due. Reads the transaction's accounts round-robin.
 */
export function findDueConnections(tx: Transaction, limit: number): Promise<DueConnection[]> {
  return tx.query<DueConnection>({
    name: 'find-due-connections',
    text: `${buildRoundRobinSql(`select c.tenant_id, c.id from connections c
             join connection_queues l on l.tenant_id = c.tenant_id and l.connection_id = c.id
             cross join lateral (select ${NEXT_WORK_SQL} as next_at) n
             where c.tenant_id = t.tenant_id and ${isUnheldSinceSql('now()')}
             order by c.id limit $1`)} limit $1`,
    values: [limit],
  });
}
