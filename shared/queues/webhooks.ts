import type { Queue } from 'bullmq';
import { newId } from '../platform/ids.js';
import type { Runtime } from '../platform/runtime.js';
import { openQueue, PROMPT_OPTIONS } from './backend.js';

export const WEBHOOKS_QUEUE = 'webhooks';

/** An endpoint with something to deliver, or whose settings have changed. */
export interface LaneRef {
  tenantId: string;
  endpointId: string;
}

/** A key for maps over lanes; ids of endpoints are not trusted to differ between tenants. */
export function laneKey({ tenantId, endpointId }: LaneRef): string {
  return `${tenantId}/${endpointId}`;
}

/** Whose lanes these are, each once: the tenants that a transaction over them must name. */
export function tenantsOf(lanes: readonly Pick<LaneRef, 'tenantId'>[]): string[] {
  return [...new Set(lanes.map(({ tenantId }) => tenantId))];
}

/** A prompt to look at these lanes. The delivery rows are the truth: a job too many does nothing, a lost one is found by the clock. */
export interface WebhookJob {
  lanes: LaneRef[];
}

/** Lanes of one job; more are several jobs, so that several workers can take them. */
const LANES_PER_JOB = 256;

export type WebhooksQueue = Queue<WebhookJob>;

export function openWebhooksQueue(runtime: Runtime): WebhooksQueue {
  return openQueue<WebhookJob>(runtime, WEBHOOKS_QUEUE, PROMPT_OPTIONS);
}

/** Asks the webhooks workers to look at these lanes now: one gathered job for all first attempts of a batch of writes. */
export async function wakeLanes(queue: WebhooksQueue, lanes: LaneRef[]): Promise<void> {
  for (let start = 0; start < lanes.length; start += LANES_PER_JOB)
    await queue.add('wake', { lanes: lanes.slice(start, start + LANES_PER_JOB) }, { jobId: newId() });
}

/** Wake-ups of a lane are gathered over so many ms: however many retries fall due by then, they are one job. */
const WAKE_STEP_MS = 250;

/** A wake-up of each lane at a time of its own. */
export async function scheduleWakes(
  queue: WebhooksQueue,
  wakes: { lane: LaneRef; at: Date }[],
): Promise<void> {
  await Promise.all(
    wakes.map(({ lane, at }) => {
      const step = Math.ceil(at.getTime() / WAKE_STEP_MS);
      const delay = Math.max(0, step * WAKE_STEP_MS - Date.now());
      return queue.add('wake', { lanes: [lane] }, { jobId: `${lane.endpointId}-${step}`, delay });
    }),
  );
}
