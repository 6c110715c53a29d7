import { expect } from 'chai';
import { FairLimit, FairLimitError } from '../../shared/platform/fair-limit.js';

/** Work that ends when the test says so. */
function heldWork(started: string[], name: string) {
  let end: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = () => {
    started.push(name);
    return held;
  };
  return { run, end };
}

/** Lets everything that is ready go on. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a fair concurrency limit', () => {
  const options = { maxRunning: 2, maxRunningPerKey: 1, maxQueuedPerKey: 3, maxWaitMs: 1000 };

  it('serves keys in rotation, however much one of them queues, and never runs more of one than its share', async () => {
    const limit = new FairLimit(options);
    const started: string[] = [];
    const works = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => ({ name, ...heldWork(started, name) }));
    const ended = works.map(({ name, run }) => limit.run(name.slice(0, 1), run));
    await settle();
    expect(started).to.deep.equal(['a1', 'b1']);
    works[0]?.end();
    await settle();
    expect(started).to.deep.equal(['a1', 'b1', 'a2']);
    works[3]?.end();
    await settle();
    expect(started, 'the third of a waits for c, which came later').to.deep.equal(['a1', 'b1', 'a2', 'c1']);
    for (const { end } of works) end();
    await Promise.all(ended);
    expect(started.at(-1)).to.equal('a3');
  });

  it('refuses what is too much for the queue of its key, and lets other keys in', async () => {
    const limit = new FairLimit(options);
    const works = Array.from({ length: 5 }, () => heldWork([], 'a'));
    const runs = works.map(({ run }) => limit.run('a', run).catch((error: unknown) => error));
    expect(await runs[4]).to.be.instanceOf(FairLimitError);
    expect(await limit.run('b', async () => 'through')).to.equal('through');
    for (const { end } of works) end();
    await Promise.all(runs);
  });

  it('refuses what has waited too long, and goes on with what came after it', async () => {
    const limit = new FairLimit({ ...options, maxWaitMs: 20 });
    const first = heldWork([], 'first');
    const running = limit.run('a', first.run);
    expect(await limit.run('a', async () => 'late').catch((error: unknown) => error)).to.be.instanceOf(
      FairLimitError,
    );
    const next = limit.run('a', async () => 'next');
    first.end();
    await running;
    expect(await next).to.equal('next');
  });

  it('gives the place of failed work to the next one', async () => {
    const limit = new FairLimit({ ...options, maxRunning: 1 });
    const failed = limit
      .run('a', () => Promise.reject(new Error('x')))
      .catch((error: Error) => error.message);
    expect(await limit.run('b', async () => 'through')).to.equal('through');
    expect(await failed).to.equal('x');
  });
});
