import { createHash } from 'node:crypto';
import type { Queue } from 'bullmq';
import { newId } from '../platform/ids.js';
import type { Runtime } from '../platform/process/runtime.js';
import { addJobs, openQueue, WAKE_UP_JOB_OPTIONS } from './backend.js';

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
  const jobs = split(lanes, ENDPOINT_QUEUES_PER_JOB).map((part) => ({
    data: { lanes: part },
    jobId: newId(),
  }));
  await addJobs(queue, 'wake', jobs);
}

/** A wake-up of an endpoint queue at a later time. */
export interface WakeUp {
  endpointQueue: EndpointQueueRef;
  at: Date;
}

/** Wake-ups within this interval share jobs. */
const WAKE_STEP_MS = 250;
/**
 * Maximum number of endpoint queues in a scheduled job. A low limit shares the retries that are due
 * at one time between several workers. A locked row then also delays only a few queues.
 */
const ENDPOINT_QUEUES_PER_SCHEDULED_JOB = 32;

/**
 * Schedules wake-ups, up to {@link WAKE_STEP_MS} later than requested. Wake-ups for about the same
 * time share jobs, because adding a job takes PostgreSQL several ms, and many receivers may time
 * out at once.
 */
export async function scheduleWakeUps(queue: WebhooksQueue, wakeUps: WakeUp[]): Promise<void> {
  const jobs = groupByStep(wakeUps).flatMap(([step, lanes]) =>
    split(lanes, ENDPOINT_QUEUES_PER_SCHEDULED_JOB).map((part) => ({
      data: { lanes: part },
      jobId: buildJobId(step, part),
      delay: Math.max(0, step * WAKE_STEP_MS - Date.now()),
    })),
  );
  await addJobs(queue, 'wake', jobs);
}

/**
 * Returns the endpoint queues to wake at each time step, earliest first. A time step is a number of
 * {@link WAKE_STEP_MS} intervals since 1970.
 */
function groupByStep(wakeUps: WakeUp[]): [step: number, lanes: EndpointQueueRef[]][] {
  const steps = new Map<number, Map<string, EndpointQueueRef>>();
  for (const { endpointQueue, at } of wakeUps) {
    const step = Math.ceil(at.getTime() / WAKE_STEP_MS);
    const lanes = steps.get(step) ?? new Map<string, EndpointQueueRef>();
    steps.set(step, lanes.set(endpointQueueKey(endpointQueue), endpointQueue));
  }
  return [...steps]
    .sort(([a], [b]) => a - b)
    .map(([step, lanes]): [number, EndpointQueueRef[]] => [step, [...lanes.values()]]);
}

function split(lanes: EndpointQueueRef[], size: number): EndpointQueueRef[][] {
  const count = Math.ceil(lanes.length / size);
  return Array.from({ length: count }, (_, nth) => lanes.slice(nth * size, (nth + 1) * size));
}

/**
 * Returns the same id for the same wake-ups. The clock repeats wake-ups in its next run. If the
 * repeated wake-ups form the same job, BullMQ adds no second job.
 */
function buildJobId(step: number, lanes: EndpointQueueRef[]): string {
  const keys = lanes.map(endpointQueueKey).sort().join(' ');
  return `${step}-${createHash('sha256').update(keys).digest('hex')}`;
}
