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
  for (const part of split(lanes, ENDPOINT_QUEUES_PER_JOB))
    await queue.add('wake', { lanes: part }, { jobId: newId() });
}

/** A wake-up of an endpoint queue at a later time. */
export interface WakeUp {
  endpointQueue: EndpointQueueRef;
  at: Date;
}

/** Wake-ups within this interval share a job. */
const WAKE_STEP_MS = 250;
/**
 * Maximum number of endpoint queues in a scheduled job. It is low, so that several workers share
 * the retries of one moment, and a locked row delays few of them.
 */
const ENDPOINT_QUEUES_PER_SCHEDULED_JOB = 32;
/** After this many failed jobs, the queue is unreachable, and more attempts would only wait. */
const MAX_FAILED_JOBS = 3;

/**
 * Schedules wake-ups, up to {@link WAKE_STEP_MS} later than requested. Adds the jobs one after
 * another. If many receivers time out at once, their retries therefore do not occupy the queue's
 * connections, which new events also need.
 * @throws the last error if a job could not be added; the clock finds its endpoint queues
 */
export async function scheduleWakeUps(queue: WebhooksQueue, wakeUps: WakeUp[]): Promise<void> {
  const errors: unknown[] = [];
  for (const { step, lanes } of groupIntoJobs(wakeUps)) {
    const delay = Math.max(0, step * WAKE_STEP_MS - Date.now());
    const jobId = buildJobId(step, lanes);
    await queue.add('wake', { lanes }, { jobId, delay }).catch((error: unknown) => errors.push(error));
    if (errors.length === MAX_FAILED_JOBS) break;
  }
  if (errors.length > 0) throw errors.at(-1);
}

interface ScheduledJob {
  /** The time of the job, in units of {@link WAKE_STEP_MS} since 1970. */
  step: number;
  lanes: EndpointQueueRef[];
}

/** Groups wake-ups into jobs, the earliest first. */
function groupIntoJobs(wakeUps: WakeUp[]): ScheduledJob[] {
  const steps = new Map<number, Map<string, EndpointQueueRef>>();
  for (const { endpointQueue, at } of wakeUps) {
    const step = Math.ceil(at.getTime() / WAKE_STEP_MS);
    const lanes = steps.get(step) ?? new Map<string, EndpointQueueRef>();
    steps.set(step, lanes.set(endpointQueueKey(endpointQueue), endpointQueue));
  }
  return [...steps]
    .sort(([a], [b]) => a - b)
    .flatMap(([step, lanes]) =>
      split([...lanes.values()], ENDPOINT_QUEUES_PER_SCHEDULED_JOB).map((part) => ({ step, lanes: part })),
    );
}

function split(lanes: EndpointQueueRef[], size: number): EndpointQueueRef[][] {
  const count = Math.ceil(lanes.length / size);
  return Array.from({ length: count }, (_, nth) => lanes.slice(nth * size, (nth + 1) * size));
}

/**
 * Returns the same id for the same wake-ups. The clock repeats wake-ups in its next run; if they
 * form the same job, BullMQ adds no second one.
 */
function buildJobId(step: number, lanes: EndpointQueueRef[]): string {
  const keys = lanes.map(endpointQueueKey).sort().join(' ');
  return `${step}-${createHash('sha256').update(keys).digest('hex')}`;
}
