import type { Queue } from 'bullmq';
import { newId } from '../platform/ids.js';
import type { Runtime } from '../platform/process/runtime.js';
import { addJobs, openQueue, WAKE_UP_JOB_OPTIONS } from './backend.js';

export const INTEGRATIONS_QUEUE = 'integrations';

export interface ConnectionQueueRef {
  tenantId: string;
  connectionId: string;
}

export function connectionQueueKey({ tenantId, connectionId }: ConnectionQueueRef): string {
  return `${tenantId}/${connectionId}`;
}

/**
 * A wake-up job for a connection's queue. The rows of the connection's work are the source of
 * truth: a duplicate job does nothing, and the clock replaces a lost job.
 */
export type IntegrationJob = ConnectionQueueRef;

export type IntegrationsQueue = Queue<IntegrationJob>;

export function openIntegrationsQueue(runtime: Runtime): IntegrationsQueue {
  return openQueue<IntegrationJob>(runtime, INTEGRATIONS_QUEUE, WAKE_UP_JOB_OPTIONS);
}

/**
 * Adds a wake-up job for each queue. Each job gets a new id, because BullMQ would ignore a job with
 * the id of a running one. The running job may have read the rows before the new work was
 * committed.
 */
export async function wakeConnectionQueues(
  queue: IntegrationsQueue,
  refs: readonly ConnectionQueueRef[],
): Promise<void> {
  const jobs = refs.map(({ tenantId, connectionId }) => ({
    data: { tenantId, connectionId },
    jobId: newId(),
  }));
  await addJobs(queue, 'wake', jobs);
}
