import type { Queue } from 'bullmq';
import { newId } from '../platform/ids.js';
import type { Runtime } from '../platform/process/runtime.js';
import { addJobs, type NewJob, openQueue, WAKE_UP_JOB_OPTIONS } from './backend.js';

export const WEBHOOKS_QUEUE = 'webhooks';

export interface EndpointQueueRef {
  tenantId: string;
  endpointId: string;
}

/**
 * Returns a key that identifies an endpoint queue. The key includes the tenant, because an endpoint
 * id is unique only within its tenant.
 */
export function endpointQueueKey({ tenantId, endpointId }: EndpointQueueRef): string {
  return `${tenantId}/${endpointId}`;
}

/** Lists the tenants that a transaction on these endpoint queues must name. */
export function listQueueTenants(lanes: readonly Pick<EndpointQueueRef, 'tenantId'>[]): string[] {
  return [...new Set(lanes.map(({ tenantId }) => tenantId))];
}

/**
 * A wake-up job for endpoint queues. The rows of deliveries are the source of truth: a duplicate
 * job does nothing, and the clock replaces a lost job.
 */
export interface WebhookJob {
  lanes: EndpointQueueRef[];
}

/**
 * Maximum number of endpoint queues in a job. Larger sets become several jobs, so that several
 * workers share them.
 */
const ENDPOINT_QUEUES_PER_JOB = 256;

export type WebhooksQueue = Queue<WebhookJob>;

export function openWebhooksQueue(runtime: Runtime): WebhooksQueue {
  return openQueue<WebhookJob>(runtime, WEBHOOKS_QUEUE, WAKE_UP_JOB_OPTIONS);
}

/** Wakes these endpoint queues now. */
export async function wakeEndpointQueues(queue: WebhooksQueue, lanes: EndpointQueueRef[]): Promise<void> {
  const jobs: NewJob<WebhookJob>[] = [];
  for (let start = 0; start < lanes.length; start += ENDPOINT_QUEUES_PER_JOB)
    jobs.push({ data: { lanes: lanes.slice(start, start + ENDPOINT_QUEUES_PER_JOB) }, jobId: newId() });
  await addJobs(queue, 'wake', jobs);
}

/** A wake-up of an endpoint queue at a later time. */
export interface WakeUp {
  endpointQueue: EndpointQueueRef;
  at: Date;
}

/** Wake-ups of an endpoint queue within this interval share one job. */
const WAKE_STEP_MS = 250;

/** Schedules wake-ups, up to {@link WAKE_STEP_MS} later than requested. */
export async function scheduleWakeUps(queue: WebhooksQueue, wakeUps: WakeUp[]): Promise<void> {
  const jobs = wakeUps.map(({ endpointQueue, at }) => {
    const step = Math.ceil(at.getTime() / WAKE_STEP_MS);
    const delay = Math.max(0, step * WAKE_STEP_MS - Date.now());
    return { data: { lanes: [endpointQueue] }, jobId: `${endpointQueue.endpointId}-${step}`, delay };
  });
  await addJobs(queue, 'wake', jobs);
}
