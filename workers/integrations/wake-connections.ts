import type { Runtime } from '../../shared/platform/process/runtime.js';
import {
  type IntegrationsQueue,
  openIntegrationsQueue,
  wakeConnectionQueues,
} from '../../shared/queues/integrations.js';
import { countConnections } from '../../shared/resources/connections/count-connections.js';
import { findDueConnections } from '../../shared/sync/find-due-connections.js';
import { countInSets } from '../sweeps/count-in-sets.js';
import type { Task } from '../sweeps/schedule.js';
import { DEFAULT_ROWS_PER_PASS, sweepTenants } from '../sweeps/sweep-tenants.js';

const MEASURED_EVERY_MS = 60_000;

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

/** Counts the connections of all accounts by status, and sets the gauge. */
async function measureConnections(runtime: Runtime): Promise<void> {
  const counts = await countInSets(runtime, 'connections', countConnections);
  if (!counts) return;
  const { connections } = runtime.metrics;
  connections.reset();
  for (const { vendor, status, count } of counts.flat()) connections.inc({ vendor, status }, count);
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
      1,
    );
    woken += found.length;
  });
  return { woken };
}
