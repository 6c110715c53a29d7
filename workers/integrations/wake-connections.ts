import type { Runtime } from '../../shared/platform/process/runtime.js';
import {
  type IntegrationsQueue,
  openIntegrationsQueue,
  wakeConnectionQueues,
} from '../../shared/queues/integrations.js';
import {
  type ConnectionCount,
  countConnections,
} from '../../shared/resources/connections/count-connections.js';
import { findDueConnections } from '../../shared/sync/find-due-connections.js';
import { setQueryTimeout } from '../sweeps/isolate-tenants.js';
import type { Task } from '../sweeps/schedule.js';
import { DEFAULT_ROWS_PER_PASS, splitTenants, sweepTenants } from '../sweeps/sweep-tenants.js';

const MEASURED_EVERY_MS = 60_000;
/** Time limit in ms of each counting query. A longer count would delay the clock's other tasks. */
const COUNT_TIMEOUT_MS = 1_000;

export const connectionTask: Task = {
  name: 'wake-connections',
  everyMs: 5_000,
  prepare: (runtime) => {
    const integrations = openIntegrationsQueue(runtime);
    let measuredAt = Number.NEGATIVE_INFINITY;
    return async () => {
      const result = await wakeDueConnections(runtime, integrations);
      if (performance.now() - measuredAt < MEASURED_EVERY_MS) return result;
      measuredAt = performance.now();
      await measureConnections(runtime);
      return result;
    };
  },
};

/**
 * Counts the connections of all accounts by status. After a failure, the gauge keeps its last
 * values.
 */
async function measureConnections({ db, logger, metrics }: Runtime): Promise<void> {
  try {
    const counts: ConnectionCount[] = [];
    for (const tenantIds of splitTenants(await db.listTenantIds())) {
      const found = await db.transaction(tenantIds, async (tx) => {
        await setQueryTimeout(tx, COUNT_TIMEOUT_MS);
        return countConnections(tx);
      });
      counts.push(...found);
    }
    metrics.connections.reset();
    for (const { vendor, status, count } of counts) metrics.connections.inc({ vendor, status }, count);
  } catch (error) {
    logger.warn({ err: error }, 'could not count the connections');
  }
}

async function wakeDueConnections(
  runtime: Runtime,
  integrations: IntegrationsQueue,
): Promise<Record<string, unknown>> {
  let woken = 0;
  await sweepTenants(runtime, connectionTask.name, async (tx) => {
    const found = await findDueConnections(tx, DEFAULT_ROWS_PER_PASS);
    await wakeConnectionQueues(
      integrations,
      found.map(({ tenant_id: tenantId, id: connectionId }) => ({ tenantId, connectionId })),
    );
    woken += found.length;
  });
  return { woken };
}
