import type { Vendors } from '../shared/integrations/contract/vendor.js';
import { VENDORS } from '../shared/integrations/vendors.js';
import type { Runtime } from '../shared/platform/process/runtime.js';
import { startClock } from './clock/index.js';
import { startExportsWorker } from './exports/index.js';
import { startIntegrationsWorker } from './integrations/index.js';
import { startMessagesWorker } from './messages/index.js';
import { startWebhooksWorker } from './webhooks/index.js';
import { startWritesWorker } from './writes/index.js';

type StartWorker = (runtime: Runtime, vendors: Vendors) => Promise<void> | void;

/**
 * Maps each queue to the function that starts its worker. The workers start in the sequence of this
 * list.
 */
const WORKERS = {
  writes: startWritesWorker,
  clock: startClock,
  messages: startMessagesWorker,
  webhooks: startWebhooksWorker,
  exports: startExportsWorker,
  integrations: startIntegrationsWorker,
} satisfies Record<string, StartWorker>;

export type QueueName = keyof typeof WORKERS;

export const QUEUES = Object.keys(WORKERS) as readonly QueueName[];

export function isQueueName(name: string): name is QueueName {
  return Object.hasOwn(WORKERS, name);
}

/** Starts the workers of the named queues, by default of all queues. */
export async function startWorkers(
  runtime: Runtime,
  names: readonly QueueName[] = QUEUES,
  vendors: Vendors = VENDORS,
): Promise<void> {
  for (const name of QUEUES.filter((queue) => names.includes(queue))) {
    const start: StartWorker = WORKERS[name];
    await start(runtime, vendors);
  }
}
