import { createHash } from 'node:crypto';
import type { Queue } from 'bullmq';
import { newId } from '../platform/ids.js';
import type { Runtime } from '../platform/process/runtime.js';
import { openQueue, WAKE_UP_JOB_OPTIONS } from './backend.js';

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
  for (const part of splitIntoJobs(lanes)) await queue.add('wake', { lanes: part }, { jobId: newId() });
}

/** A wake-up of an endpoint queue at a later time. */
export interface WakeUp {
  endpointQueue: EndpointQueueRef;
  at: Date;
}

/** Wake-ups within this interval share a job. */
const WAKE_STEP_MS = 250;

/**
 * Schedules wake-ups, up to {@link WAKE_STEP_MS} later than requested. Adds the jobs one after
 * another. If many receivers time out at once, their retries therefore do not occupy the queue's
 * connections, which new events also need.
 */
export async function scheduleWakeUps(queue: WebhooksQueue, wakeUps: WakeUp[]): Promise<void> {
  for (const [step, lanes] of groupByStep(wakeUps)) {
    for (const part of splitIntoJobs(lanes)) {
      const delay = Math.max(0, step * WAKE_STEP_MS - Date.now());
      await queue.add('wake', { lanes: part }, { jobId: buildJobId(step, part), delay });
    }
  }
}

/** Maps each step, a time in units of {@link WAKE_STEP_MS}, to the endpoint queues to wake then. */
function groupByStep(wakeUps: WakeUp[]): Map<number, EndpointQueueRef[]> {
  const steps = new Map<number, Map<string, EndpointQueueRef>>();
  for (const { endpointQueue, at } of wakeUps) {
    const step = Math.ceil(at.getTime() / WAKE_STEP_MS);
    const lanes = steps.get(step) ?? new Map<string, EndpointQueueRef>();
    steps.set(step, lanes.set(endpointQueueKey(endpointQueue), endpointQueue));
  }
  return new Map([...steps].map(([step, lanes]) => [step, [...lanes.values()]]));
}

function splitIntoJobs(lanes: EndpointQueueRef[]): EndpointQueueRef[][] {
  const count = Math.ceil(lanes.length / ENDPOINT_QUEUES_PER_JOB);
  return Array.from({ length: count }, (_, nth) =>
    lanes.slice(nth * ENDPOINT_QUEUES_PER_JOB, (nth + 1) * ENDPOINT_QUEUES_PER_JOB),
  );
}

/** Returns the same id for the same wake-ups, so that the clock's next run adds no second job. */
function buildJobId(step: number, lanes: EndpointQueueRef[]): string {
  const keys = lanes.map(endpointQueueKey).sort().join(' ');
  return `${step}-${createHash('sha256').update(keys).digest('hex')}`;
}
