import type { Job } from 'bullmq';
import type { Database, SqlQuery, Transaction } from '../../shared/platform/postgres/database.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import type { ClockJob } from '../../shared/queues/clock.js';
import type { SweepFailure } from '../../shared/records/sweeps/sweep-failures.js';
import { createClockProcessor } from '../../workers/clock/processor.js';
import type { TestStack } from './stack.js';

/** Runs a task of the clock once, as its worker does, and waits for the end of the task. */
export type RunTask = (task: string) => Promise<void>;

/** @param runtime of a stack, whose database {@link poisonTenant} may have made */
export function createClockTasks(runtime: Runtime): RunTask {
  const process = createClockProcessor(runtime);
  return async (task) => {
    await process({ id: task, name: task, data: {} } as Job<ClockJob>);
  };
}

/** Lists the tasks that leave out a tenant, according to the recorded failures. */
export async function findTasksWithout(stack: TestStack, tenantId: string): Promise<string[]> {
  const rows = await stack.rows<SweepFailure>(tenantId, 'select * from sweep_faults order by task');
  return rows.map(({ task }) => task);
}

/** The queries by which the clock stores a tenant's failure. Poisoning does not affect them. */
const FAILURE_QUERY_NAMES = ['find-sweep-faults', 'record-sweep-fault', 'clear-sweep-fault'];

/**
 * Returns a database in which every query fails once its transaction includes this tenant.
 * @param onSwept receives the tenants of each sweep that committed
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
