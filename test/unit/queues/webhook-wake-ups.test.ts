import { expect } from 'chai';
import {
  type EndpointQueueRef,
  scheduleWakeUps,
  type WakeUp,
  type WebhooksQueue,
} from '../../../shared/queues/webhooks.js';

interface AddedJob {
  lanes: EndpointQueueRef[];
  jobId: string;
  delay: number;
}

/** Returns a queue that records its jobs, and how many of them were added at once. */
function createQueue(): { queue: WebhooksQueue; jobs: AddedJob[]; getMaxConcurrent: () => number } {
  const jobs: AddedJob[] = [];
  let running = 0;
  let maxConcurrent = 0;
  const add = async (_name: string, { lanes }: Pick<AddedJob, 'lanes'>, options: Omit<AddedJob, 'lanes'>) => {
    running += 1;
    maxConcurrent = Math.max(maxConcurrent, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    jobs.push({ lanes, ...options });
  };
  return { queue: { add } as unknown as WebhooksQueue, jobs, getMaxConcurrent: () => maxConcurrent };
}

const START = Math.ceil(Date.now() / 1000) * 1000 + 60_000;

function wakeUp(nth: number, atMs: number): WakeUp {
  return { endpointQueue: { tenantId: 'tenant', endpointId: `endpoint ${nth}` }, at: new Date(START + atMs) };
}

describe('scheduled wake-ups of endpoint queues', () => {
  it('wake-ups of many endpoint queues within 250 ms share jobs, which are added one after another', async () => {
    const { queue, jobs, getMaxConcurrent } = createQueue();
    const wakeUps = Array.from({ length: 600 }, (_, nth) => wakeUp(nth, 1 + (nth % 250)));
    await scheduleWakeUps(queue, wakeUps);
    expect(jobs.map(({ lanes }) => lanes.length)).to.deep.equal([256, 256, 88]);
    expect(new Set(jobs.map(({ jobId }) => jobId)).size).to.equal(3);
    expect(getMaxConcurrent()).to.equal(1);
    const woken = jobs.flatMap(({ lanes }) => lanes.map(({ endpointId }) => endpointId));
    expect(new Set(woken).size).to.equal(600);
  });

  it('a job runs at the end of its 250 ms, so that it is never too early', async () => {
    const { queue, jobs } = createQueue();
    await scheduleWakeUps(queue, [wakeUp(1, 1), wakeUp(1, 250), wakeUp(1, 251)]);
    const dueAt = jobs.map(({ delay }) => Math.round((Date.now() + delay - START) / 250) * 250);
    expect(dueAt).to.deep.equal([250, 500]);
  });

  it('the same wake-ups have the same job id in any sequence, and other wake-ups have another', async () => {
    const { queue, jobs } = createQueue();
    await scheduleWakeUps(queue, [wakeUp(1, 10), wakeUp(2, 20)]);
    await scheduleWakeUps(queue, [wakeUp(2, 30), wakeUp(1, 40)]);
    await scheduleWakeUps(queue, [wakeUp(1, 10)]);
    await scheduleWakeUps(queue, [wakeUp(1, 260), wakeUp(2, 260)]);
    const [first, second, fewer, later] = jobs.map(({ jobId }) => jobId);
    expect(second).to.equal(first);
    expect(new Set([first, fewer, later]).size).to.equal(3);
  });
});
