import type { Runtime } from '../../shared/platform/process/runtime.js';
import { openWebhooksQueue, type WebhooksQueue, wakeEndpointQueues } from '../../shared/queues/webhooks.js';
import type { RecordRef } from '../../shared/records/record-refs.js';
import { continueReplay, findRunningReplays } from '../../shared/resources/webhook-replays/run.js';
import type { Task } from '../sweeps/schedule.js';
import { sweepTenantSet, sweepTenants } from '../sweeps/sweep-tenants.js';

/**
 * Maximum duration of a pass. A longer pass would delay the clock's other tasks. The next pass
 * continues with the next tenant.
 */
const PASS_BUDGET_MS = 2_000;

export const replayTask: Task = {
  name: 'run-replays',
  everyMs: 2_000,
  prepare: (runtime) => createReplayRunner(runtime, openWebhooksQueue(runtime)),
};

/**
 * Creates a function that runs one pass. A pass creates the next deliveries of running replays and
 * recoveries, and wakes their endpoint queues. A pass creates few deliveries, with a low priority,
 * so that they do not delay live deliveries. If a wake-up job is lost, the `wake-lanes` task finds
 * the endpoint queue.
 */
export function createReplayRunner(
  runtime: Runtime,
  webhooks: WebhooksQueue,
): () => Promise<Record<string, unknown>> {
  // The tenant at which the last pass ended. If every pass started at the first tenant, a pass
  // might never reach the last tenants.
  let lastTenant = '';
  return async () => {
    const endAt = performance.now() + PASS_BUDGET_MS;
    const running = await findRunning(runtime);
    let woken = 0;
    for (const ref of sortRoundRobin(running, lastTenant)) {
      if (performance.now() > endAt) break;
      lastTenant = ref.tenant_id;
      woken += await createNextDeliveries(runtime, webhooks, ref);
    }
    return { running: running.length, woken };
  };
}

/** @returns the number of endpoints with new deliveries */
async function createNextDeliveries(
  runtime: Runtime,
  webhooks: WebhooksQueue,
  ref: RecordRef,
): Promise<number> {
  const { tenant_id: tenantId } = ref;
  let endpoints: string[] = [];
  await sweepTenantSet(runtime, {
    task: 'continue-replay',
    tenantIds: [tenantId],
    work: async (tx) => {
      endpoints = await continueReplay(tx, ref);
    },
  });
  await wakeEndpointQueues(
    webhooks,
    endpoints.map((endpointId) => ({ tenantId, endpointId })),
  );
  return endpoints.length;
}

/** Sorts replays round-robin between tenants, starting with the tenant after `lastTenant`. */
function sortRoundRobin(running: RecordRef[], lastTenant: string): RecordRef[] {
  const countByTenant = new Map<string, number>();
  return running
    .map((ref) => {
      const round = countByTenant.get(ref.tenant_id) ?? 0;
      countByTenant.set(ref.tenant_id, round + 1);
      return { ref, sortKey: `${round} ${ref.tenant_id > lastTenant ? 0 : 1} ${ref.tenant_id}` };
    })
    .sort((a, b) => (a.sortKey < b.sortKey ? -1 : 1))
    .map(({ ref }) => ref);
}

/** Finds all tenants' running replays that can continue now. */
async function findRunning(runtime: Runtime): Promise<RecordRef[]> {
  const found: RecordRef[] = [];
  await sweepTenants(runtime, replayTask.name, async (tx) => {
    found.push(...(await findRunningReplays(tx)));
  });
  return found;
}
