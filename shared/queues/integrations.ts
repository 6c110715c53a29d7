import type { Queue } from 'bullmq';
import { newId } from '../platform/ids.js';
import type { Runtime } from '../platform/process/runtime.js';
import { openQueue, WAKE_UP_JOB_OPTIONS } from './backend.js';

export const INTEGRATIONS_QUEUE = 'integrations';

/** The queue of a connection that has work. */
export interface ConnectionQueueRef {
  tenantId: string;
  connectionId: string;
}

export function connectionQueueKey({ tenantId, connectionId }: ConnectionQueueRef): string {
  return `${tenantId}/${connectionId}`;
}

/**
 * A wake-up job for the queue of a connection. The rows are the source of truth: a duplicate job
 * does nothing, and the clock replaces a lost one.
 */
export type IntegrationJob = ConnectionQueueRef;

export type IntegrationsQueue = Queue<IntegrationJob>;

export function openIntegrationsQueue(runtime: Runtime): IntegrationsQueue {
  return openQueue<IntegrationJob>(runtime, INTEGRATIONS_QUEUE, WAKE_UP_JOB_OPTIONS);
}

/**
 * Adds a wake-up job for each of these queues. Each job has an id of its own: a job that runs may
 * have looked before the new work was committed.
 */
export async function wakeConnectionQueues(
  queue: IntegrationsQueue,
  refs: readonly ConnectionQueueRef[],
): Promise<void> {
  await Promise.all(
    refs.map(({ tenantId, connectionId }) =>
      queue.add('wake', { tenantId, connectionId }, { jobId: newId() }),
    ),
  );
}
