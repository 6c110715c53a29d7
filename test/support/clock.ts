import type { Job } from 'bullmq';
import type { Database, SqlQuery, Transaction } from '../../shared/platform/postgres/database.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import type { ClockJob } from '../../shared/queues/clock.js';
import type { SweepFailure } from '../../shared/records/sweeps/sweep-failures.js';
import { createClockProcessor } from '../../workers/clock/processor.js';
import type { TestStack } from './stack.js';

/**
 * Runs the clock's task with this name once, as the clock's worker does. Resolves when the task has
 * ended.
 */
export type RunTask = (task: string) => Promise<void>;

/**
 * Returns a function that runs tasks of the clock in this process.
 * @param runtime a stack's runtime; its `db` may be one that {@link poisonTenant} returned
 */
export function createClockTasks(runtime: Runtime): RunTask {
  const process = createClockProcessor(runtime);
  return async (task) => {
    await process({ id: task, name: task, data: {} } as Job<ClockJob>);
  };
}

/**
 * Lists the names of the clock's tasks that have failed for this tenant. Until a task succeeds for
 * the tenant, the clock only occasionally tries it for the tenant.
 */
export async function findTasksWithout(stack: TestStack, tenantId: string): Promise<string[]> {
  const rows = await stack.rows<SweepFailure>(tenantId, 'select * from sweep_faults order by task');
  return rows.map(({ task }) => task);
}

/**
 * The names of the queries that read and write the recorded failures. {@link poisonTenant} lets
 * these queries run, so that the clock can record the tenant's failures.
 */
const FAILURE_QUERY_NAMES = ['find-sweep-faults', 'record-sweep-fault', 'clear-sweep-fault'];

/**
 * Returns a database for tests of sweeps that fail for one account. A sweep goes over all accounts.
 * In every transaction that includes this tenant, all queries fail except those in
 * `FAILURE_QUERY_NAMES`.
 * @param onSwept called with the tenants of a sweep's transaction after it has committed
 */
export function poisonTenant(
  db: Database,
  tenantId: string,
  onSwept: (tenantIds: readonly string[]) => void,
): Database {
  const transaction: Database['transaction'] = async (tenantIds, work) => {
    let isSweep = false;
    const result = await db.transaction(tenantIds, (tx) => {
      const query = (sqlQuery: SqlQuery) => {
        if (FAILURE_QUERY_NAMES.includes(sqlQuery.name ?? '')) return tx.query(sqlQuery);
        isSweep = true;
        return tx.query(tenantIds.includes(tenantId) ? { text: 'select 1 / 0' } : sqlQuery);
      };
      return work({ ...tx, query, queryAtCommit: tx.queryAtCommit } as Transaction);
    });
    if (isSweep) onSwept(tenantIds);
    return result;
  };
  return {
    transaction,
    listTenantIds: () => db.listTenantIds(),
    query: (sqlQuery: SqlQuery) => db.query(sqlQuery),
    read: (id: string, sqlQuery: SqlQuery) => db.read(id, sqlQuery),
  } as Database;
}
