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
  /** When the job runs, in ms since 1970. */
  runsAt: number;
}

/**
 * Creates a queue that records its jobs. `getMaxConcurrent` returns the largest number of jobs that
 * were being added at the same time.
 */
function createQueue(): { queue: WebhooksQueue; jobs: AddedJob[]; getMaxConcurrent: () => number } {
  const jobs: AddedJob[] = [];
  let running = 0;
  let maxConcurrent = 0;
  const add = async (
    _name: string,
    { lanes }: Pick<AddedJob, 'lanes'>,
    options: Pick<AddedJob, 'jobId' | 'delay'>,
  ) => {
    const runsAt = Date.now() + options.delay;
    running += 1;
    maxConcurrent = Math.max(maxConcurrent, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    jobs.push({ lanes, ...options, runsAt });
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
    expect(jobs).to.have.length(Math.ceil(600 / 32));
    expect(Math.max(...jobs.map(({ lanes }) => lanes.length))).to.equal(32);
    expect(new Set(jobs.map(({ jobId }) => jobId)).size).to.equal(jobs.length);
    expect(getMaxConcurrent()).to.equal(1);
    const woken = jobs.flatMap(({ lanes }) => lanes.map(({ endpointId }) => endpointId));
    expect(new Set(woken).size).to.equal(600);
  });

  it('a job runs at the end of its 250 ms, so that it is never too early', async () => {
    const { queue, jobs } = createQueue();
    await scheduleWakeUps(queue, [wakeUp(1, 1), wakeUp(1, 250), wakeUp(1, 251)]);
    const steps = jobs.map(({ runsAt }) => Math.round((runsAt - START) / 250));
    expect(steps).to.deep.equal([1, 2]);
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

  it('a job that cannot be added does not stop the others, until three have failed', async () => {
    const tried: string[] = [];
    const failing = new Set(['endpoint 1', 'endpoint 3', 'endpoint 4']);
    const add = async (_name: string, { lanes }: Pick<AddedJob, 'lanes'>) => {
      const name = lanes[0]?.endpointId as string;
      tried.push(name);
      if (failing.has(name)) throw new Error(`cannot add ${name}`);
    };
    // The latest wake-up comes first, to show that the earliest job is added first.
    const wakeUps = [6, 5, 4, 3, 2, 1].map((nth) => wakeUp(nth, nth * 1000));
    const error = await scheduleWakeUps({ add } as unknown as WebhooksQueue, wakeUps).catch(
      (reason) => reason,
    );
    expect(error).to.have.property('message', 'cannot add endpoint 4');
    expect(tried).to.deep.equal(['endpoint 1', 'endpoint 2', 'endpoint 3', 'endpoint 4']);
  });
});
