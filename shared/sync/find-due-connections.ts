import type { Transaction } from '../platform/postgres/database.js';
import { buildRoundRobinSql } from '../records/sweeps/sweep-round-robin.js';

export interface DueConnection {
  tenant_id: string;
  id: string;
}

/**
 * SQL: when the next work of connection `c` is due. Null if there is no work or the connection is
 * paused.
 */
export const NEXT_WORK_SQL = `least(
  (select o.next_at from outbound_operations o where o.tenant_id = c.tenant_id and o.connection_id = c.id
     and o.next_at is not null and c.status in ('active', 'failing', 'revoked') order by o.next_at limit 1),
  (select min(s.next_at) from sync_states s where s.tenant_id = c.tenant_id and s.connection_id = c.id
     and (c.status in ('active', 'failing') or (c.status in ('pending', 'needs_reauth') and s.stream = 'describe'))),
  (select now() from connection_secrets k where k.tenant_id = c.tenant_id and k.connection_id = c.id and c.status = 'revoked'))`;

/**
 * SQL: whether work of connection `c` was due at the given time and no worker leases its queue `l`.
 * The query must join {@link NEXT_WORK_SQL} as `n.next_at`. Pauses after failures delay the work,
 * but not the end of a revoked connection.
 */
export const isUnheldSinceSql = (time: string) => `((l.owner is null or l.lease_until < now())
  and n.next_at is not null
  and greatest(n.next_at, case when c.status <> 'revoked' then greatest(l.open_until, l.throttled_until) end) <= ${time})`;

/**
 * Finds connections with due work and without a worker. Their job was lost, their worker died, or
 * the work has just become due. The accounts of the transaction are read round-robin.
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
