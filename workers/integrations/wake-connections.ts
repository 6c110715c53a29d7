import type { Runtime } from '../../shared/platform/process/runtime.js';
import {
  type IntegrationsQueue,
  openIntegrationsQueue,
  wakeConnectionQueues,
} from '../../shared/queues/integrations.js';
import { findDueConnections } from '../../shared/sync/find-due-connections.js';
import type { Task } from '../sweeps/schedule.js';
import { DEFAULT_ROWS_PER_PASS, sweepTenants } from '../sweeps/sweep-tenants.js';

export const connectionTask: Task = {
  name: 'wake-connections',
  everyMs: 5_000,
  prepare: (runtime) => {
    const integrations = openIntegrationsQueue(runtime);
    return () => wakeDueConnections(runtime, integrations);
  },
};

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
