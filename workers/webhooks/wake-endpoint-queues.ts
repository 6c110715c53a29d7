import { findDueEndpointQueues } from '../../shared/deliveries/find-due-endpoint-queues.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import {
  openWebhooksQueue,
  scheduleWakeUps,
  type WebhooksQueue,
  wakeEndpointQueues,
} from '../../shared/queues/webhooks.js';
import type { Task } from '../sweeps/schedule.js';
import { sweepTenants } from '../sweeps/sweep-tenants.js';

const ENDPOINT_QUEUES_PER_PASS = 2000;
/**
 * The task schedules wake-ups this far ahead. This time is longer than the task's interval, so one
 * failed run does no harm.
 */
const WAKE_HORIZON_SECONDS = 30;

export const endpointQueueTask: Task = {
  name: 'wake-lanes',
  everyMs: 5_000,
  prepare: (runtime) => {
    const webhooks = openWebhooksQueue(runtime);
    return () => wakeDueEndpointQueues(runtime, webhooks);
  },
};

/**
 * Wakes due endpoint queues that no worker has leased. Schedules a wake-up for queues that become
 * due within the horizon.
 */
async function wakeDueEndpointQueues(
  runtime: Runtime,
  webhooks: WebhooksQueue,
): Promise<Record<string, unknown>> {
  let woken = 0;
  let scheduled = 0;
  await sweepTenants(runtime, endpointQueueTask.name, async (tx) => {
    const found = await findDueEndpointQueues(tx, {
      horizonSeconds: WAKE_HORIZON_SECONDS,
      limit: ENDPOINT_QUEUES_PER_PASS,
    });
    const endpointQueues = found.map(({ tenant_id: tenantId, endpoint_id: endpointId, in_ms: inMs }) => ({
      endpointQueue: { tenantId, endpointId },
      inMs,
    }));
    const now = endpointQueues.filter(({ inMs }) => inMs === 0).map(({ endpointQueue }) => endpointQueue);
    const later = endpointQueues.filter(({ inMs }) => inMs > 0);
    await wakeEndpointQueues(webhooks, now);
    await scheduleWakeUps(
      webhooks,
      later.map(({ endpointQueue, inMs }) => ({ endpointQueue, at: new Date(Date.now() + inMs) })),
    );
    woken += now.length;
    scheduled += later.length;
  });
  return { woken, scheduled };
}
