import { expect } from 'chai';
import { OutageWait } from '../../../shared/queues/outage-wait.js';

const LOST = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

describe('jobs that lose their connection to PostgreSQL', () => {
  let probes: number;
  let failures: number;
  const probe = async () => {
    probes++;
    if (probes <= failures) throw LOST;
  };
  const build = (options: { isClosing?: () => boolean; maxWaitMs?: number } = {}) =>
    new OutageWait({ probe, isClosing: () => false, probeIntervalMs: 1, ...options });
  const fail = (error: Error) => () => Promise.reject(error);
  const catchError = (run: Promise<unknown>) =>
    run.then(
      () => undefined,
      (error: unknown) => error,
    );

  beforeEach(() => {
    probes = 0;
    failures = 3;
  });

  it('all wait for the same probes, and fail with their own errors once PostgreSQL responds', async () => {
    const wait = build();
    const other = Object.assign(new Error('terminated'), { code: '57P01' });
    const errors = await Promise.all([LOST, LOST, other].map((error) => catchError(wait.run(fail(error)))));
    expect(errors).to.deep.equal([LOST, LOST, other]);
    expect(probes).to.equal(4);
  });

  it('fail after the longest wait while PostgreSQL does not respond', async () => {
    failures = Number.POSITIVE_INFINITY;
    expect(await catchError(build({ maxWaitMs: 5 }).run(fail(LOST)))).to.equal(LOST);
    expect(probes).to.be.greaterThan(1);
  });

  it('fail immediately when the process stops', async () => {
    failures = Number.POSITIVE_INFINITY;
    expect(await catchError(build({ isClosing: () => true }).run(fail(LOST)))).to.equal(LOST);
    expect(probes).to.equal(1);
  });

  it('do not wait after another error', async () => {
    const conflict = Object.assign(new Error('deadlock'), { code: '40P01' });
    expect(await catchError(build().run(fail(conflict)))).to.equal(conflict);
    expect(await build().run(async () => 5)).to.equal(5);
    expect(probes).to.equal(0);
  });
});
