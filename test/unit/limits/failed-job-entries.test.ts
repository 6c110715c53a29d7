import { EventEmitter } from 'node:events';
import { mock } from 'node:test';
import type { Job } from 'bullmq';
import { expect } from 'chai';
import pino from 'pino';
import { reportFailedJobs } from '../../../shared/queues/failed-jobs.js';

describe('log entries of retried jobs', () => {
  afterEach(() => mock.timers.reset());

  it('an outage logs its first failure at once, and every other failure is counted in a later entry', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const entries: { jobId: string; alsoFailed: number }[] = [];
    const sink = { write: (entry: string) => void entries.push(JSON.parse(entry)) };
    const worker = Object.assign(new EventEmitter(), { name: 'writes' });
    const metrics = { failedJobs: { inc: () => undefined } };
    reportFailedJobs(
      { logger: pino({}, sink), metrics: metrics as never },
      worker as unknown as Parameters<typeof reportFailedJobs>[1],
    );
    const fail = (id: string) =>
      worker.emit('failed', { name: 'batch', id } as Job, new Error('unreachable'));
    for (let nth = 1; nth <= 4; nth += 1) fail(`job-${nth}`);
    expect(entries.map(({ jobId }) => jobId)).to.deep.equal(['job-1']);
    mock.timers.tick(5_000);
    expect(entries.at(-1)).to.include({ jobId: 'job-4', alsoFailed: 2 });
    fail('job-5');
    expect(entries).to.have.length(2);
    mock.timers.tick(5_000);
    expect(entries.at(-1)).to.include({ jobId: 'job-5', alsoFailed: 0 });
    mock.timers.tick(5_000);
    fail('job-6');
    expect(entries.map(({ jobId }) => jobId)).to.deep.equal(['job-1', 'job-4', 'job-5', 'job-6']);
  });
});
