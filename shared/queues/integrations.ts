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
 * A wake-up job for the queues of connections. The rows of the connections' work are the source of
 * truth: a duplicate job does nothing, and the clock replaces a lost job.
 */
export interface IntegrationJob extends ConnectionQueueRef {
  /**
   * Further connections to wake. A worker of an earlier version wakes only the first connection.
   * The clock wakes the others, by jobs of one connection.
   */
  others?: ConnectionQueueRef[];
}

export type IntegrationsQueue = Queue<IntegrationJob>;

export function openIntegrationsQueue(runtime: Runtime): IntegrationsQueue {
  return openQueue<IntegrationJob>(runtime, INTEGRATIONS_QUEUE, WAKE_UP_JOB_OPTIONS);
}

/**
 * Maximum number of connections in a job. Larger sets become several jobs, so that several workers
 * share them, and so that a locked queue delays only a few others.
 */
const CONNECTIONS_PER_JOB = 16;

/**
 * Adds wake-up jobs for these queues. Connections share jobs, because each job takes three
 * transactions of a queue on PostgreSQL. Each job gets a new id, because BullMQ would ignore a job
 * with the id of a running one. The running job may have read the rows before the new work was
 * committed.
 * @param perJob the maximum number of connections in a job
 */
export async function wakeConnectionQueues(
  queue: IntegrationsQueue,
  refs: readonly ConnectionQueueRef[],
  perJob = CONNECTIONS_PER_JOB,
): Promise<void> {
  const jobs: { data: IntegrationJob; jobId: string }[] = [];
  for (let start = 0; start < refs.length; start += perJob) {
    const [first, ...others] = refs
      .slice(start, start + perJob)
      .map(({ tenantId, connectionId }) => ({ tenantId, connectionId }));
    if (first) jobs.push({ data: others.length > 0 ? { ...first, others } : first, jobId: newId() });
  }
  await addJobs(queue, 'wake', jobs);
}

/** Wakes those of these queues that this process has leased, and returns the others. */
export type WakeLeased = (refs: readonly ConnectionQueueRef[]) => ConnectionQueueRef[];

/** The workers of this process, by its lifecycle. */
const localWorkers = new WeakMap<Runtime['lifecycle'], WakeLeased>();

/**
 * Lets {@link promptConnectionQueues} wake the queues of a worker in the same process without a
 * job. On PostgreSQL, a job takes three transactions.
 */
export function registerLocalWorker({ lifecycle }: Runtime, wakeLeased: WakeLeased): void {
  localWorkers.set(lifecycle, wakeLeased);
}

/** Wakes these queues, by jobs if no worker in this process has leased them. */
export async function promptConnectionQueues(
  runtime: Runtime,
  refs: readonly ConnectionQueueRef[],
): Promise<void> {
  const others = localWorkers.get(runtime.lifecycle)?.(refs) ?? refs;
  await wakeConnectionQueues(openIntegrationsQueue(runtime), others);
}

/** Lists the queues that a job wakes. */
export function listWokenQueues({
  tenantId,
  connectionId,
  others = [],
}: IntegrationJob): ConnectionQueueRef[] {
  return [{ tenantId, connectionId }, ...others];
}
