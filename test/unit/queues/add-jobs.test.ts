import type { Queue } from 'bullmq';
import { expect } from 'chai';
import { addJobs } from '../../../shared/queues/backend.js';
import {
  scheduleWakeUps,
  type WakeUp,
  type WebhookJob,
  type WebhooksQueue,
} from '../../../shared/queues/webhooks.js';

interface AddedJob {
  data: unknown;
  jobId: string;
  /** When the job runs, in ms since 1970. */
  runsAt: number;
}

/**
 * A queue that records its jobs. `maxConcurrent` is the largest number of jobs that were being
 * added at the same time. Jobs whose ids are in `refused` fail.
 */
class FakeQueue {
  readonly jobs: AddedJob[] = [];
  maxConcurrent = 0;
  private running = 0;

  constructor(private readonly refused: string[] = []) {}

  async add(_name: string, data: unknown, { jobId, delay = 0 }: { jobId: string; delay?: number }) {
    const runsAt = Date.now() + delay;
    this.running += 1;
    this.maxConcurrent = Math.max(this.maxConcurrent, this.running);
    await new Promise((resolve) => setImmediate(resolve));
    this.running -= 1;
    if (this.refused.includes(jobId)) throw new Error(`cannot add ${jobId}`);
    this.jobs.push({ data, jobId, runsAt });
  }

  get ids(): string[] {
    return this.jobs.map(({ jobId }) => jobId).sort();
  }
}

function addNumbered(queue: FakeQueue, count: number): Promise<void> {
  const jobs = Array.from({ length: count }, (_, nth) => ({ data: nth, jobId: `job ${nth}` }));
  return addJobs(queue as unknown as Queue<number>, 'work', jobs);
}

describe('adding jobs to a queue', () => {
  it('many jobs use at most half of the four connections that a process has to a queue', async () => {
    const queue = new FakeQueue();
    await addNumbered(queue, 100);
    expect(new Set(queue.ids).size).to.equal(100);
    expect(queue.jobs).to.have.length(100);
    expect(queue.maxConcurrent).to.equal(2);
  });

  it('a job that cannot be added is reported, and the others are added', async () => {
    const queue = new FakeQueue(['job 1']);
    const error = await addNumbered(queue, 5).catch((reason: unknown) => reason);
    expect(error).to.have.property('message', 'cannot add job 1');
    expect(queue.ids).to.deep.equal(['job 0', 'job 2', 'job 3', 'job 4']);
  });

  it('after two failures, no more jobs are added, because the queue is probably unreachable', async () => {
    const queue = new FakeQueue(['job 1', 'job 2']);
    const error = await addNumbered(queue, 100).catch((reason: unknown) => reason);
    expect(error).to.be.an('error');
    expect(queue.jobs.length).to.be.lessThan(4);
  });
});

describe('scheduled wake-ups of endpoint queues', () => {
  const start = Math.ceil(Date.now() / 1000) * 1000 + 60_000;
  const wakeUp = (endpointId: string, atMs: number): WakeUp => ({
    endpointQueue: { tenantId: 'tenant', endpointId },
    at: new Date(start + atMs),
  });

  it('wake-ups of many endpoint queues within 250 ms share jobs, and each endpoint queue is woken', async () => {
    const queue = new FakeQueue();
    const wakeUps = Array.from({ length: 200 }, (_, nth) => wakeUp(`endpoint ${nth}`, 1 + nth));
    await scheduleWakeUps(queue as unknown as WebhooksQueue, wakeUps);
    const parts = queue.jobs.map(({ data }) => (data as WebhookJob).lanes);
    expect(parts.map(({ length }) => length).sort((a, b) => a - b)).to.deep.equal([
      8, 32, 32, 32, 32, 32, 32,
    ]);
    expect(new Set(parts.flat().map(({ endpointId }) => endpointId)).size).to.equal(200);
  });

  it('a wake-up is never early and at most 250 ms late, and the earliest is added first', async () => {
    const queue = new FakeQueue();
    await scheduleWakeUps(queue as unknown as WebhooksQueue, [
      wakeUp('b', 251),
      wakeUp('a', 1),
      wakeUp('a', 250),
    ]);
    const steps = queue.jobs.map(({ runsAt }) => Math.round((runsAt - start) / 250));
    expect(steps).to.deep.equal([1, 2]);
  });

  it('the same wake-ups have the same job id in any sequence, and other wake-ups have another', async () => {
    const queue = new FakeQueue();
    const schedule = (...wakeUps: WakeUp[]) => scheduleWakeUps(queue as unknown as WebhooksQueue, wakeUps);
    await schedule(wakeUp('a', 10), wakeUp('b', 20));
    await schedule(wakeUp('b', 30), wakeUp('a', 40));
    await schedule(wakeUp('a', 10));
    await schedule(wakeUp('a', 260), wakeUp('b', 260));
    const [first, second, fewer, later] = queue.jobs.map(({ jobId }) => jobId);
    expect(second).to.equal(first);
    expect(new Set([first, fewer, later]).size).to.equal(3);
  });
});
