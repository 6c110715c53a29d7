import type { Database } from '../../shared/platform/postgres/database.js';
import { isInSessionTenants } from '../../shared/records/session-tenants.js';
import { isUnheldSinceSql, NEXT_WORK_SQL } from '../../shared/sync/find-due-connections.js';
import { readAcrossTenants } from '../cli/store.js';

export const REMEDY_FOR_CONNECTIONS =
  'Start a worker (npm start, or `node dist/workers/main.js integrations`); its log names the cause of each failed step.';

/** Due work counts as late after this time. Workers normally start due work within seconds. */
const LATE_MINUTES = 5;

/**
 * The number of a vendor's connections in one condition. The condition is `late` if due work of the
 * connection is late, otherwise the connection's status.
 */
interface ConnectionCount {
  vendor: string;
  condition: string;
  count: number;
}

/**
 * Resolves with the number of connections by vendor and status.
 * @throws {Error} with these numbers, if due work of a connection is late
 */
export async function checkConnections(db: Database): Promise<string> {
  const rows = await readAcrossTenants<ConnectionCount>(
    db,
    `select c.vendor, case when ${isUnheldSinceSql(`now() - interval '${LATE_MINUTES} min'`)} then 'late' else c.status end as condition,
       count(*)::int as count
     from connections c join connection_queues l on l.tenant_id = c.tenant_id and l.connection_id = c.id
     cross join lateral (select ${NEXT_WORK_SQL} as next_at) n
     where ${isInSessionTenants('c')} and (c.status <> 'revoked' or n.next_at is not null) group by 1, 2 order by 1, 2`,
  );
  const sums = new Map<string, number>();
  for (const { vendor, condition, count } of rows) {
    const name = `${vendor} ${condition}`;
    sums.set(name, (sums.get(name) ?? 0) + count);
  }
  const text = [...sums].map(([name, count]) => `${count} ${name}`).join(', ');
  if (rows.some(({ condition }) => condition === 'late'))
    throw new Error(`due work of connections has waited for more than ${LATE_MINUTES} minutes: ${text}`);
  return text || 'no vendor is connected';
}
