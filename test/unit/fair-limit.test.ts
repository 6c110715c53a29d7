import { expect } from 'chai';
import { createFairLimit, TooManyWaitingError } from '../../shared/platform/fair-limit.js';

describe('a fair limit', () => {
  const OPTIONS = { queues: ['one', 'two'], maxRunning: 2, maxQueued: 6 } as const;
  const later = () => new Promise<void>((resolve) => setImmediate(resolve));

  /** Runs named work, and collects the names in the order in which it starts. */
  const scene = (options: Parameters<typeof createFairLimit<'one' | 'two'>>[0] = OPTIONS) => {
    const limit = createFairLimit(options);
    const started: string[] = [];
    let running = 0;
    let mostRunning = 0;
    const run = (name: string, queue: 'one' | 'two' = 'one') =>
      limit.run({ queue, group: name.charAt(0) }, async () => {
        running += 1;
        mostRunning = Math.max(mostRunning, running);
        started.push(name);
        await later();
        running -= 1;
        return name;
      });
    return { run, started, mostRunning: () => mostRunning };
  };
  const errorOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);

  it('lets groups take turns, and runs no more than its number at once', async () => {
    const { run, started, mostRunning } = scene();
    const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1'];
    expect(await Promise.all(names.map((name) => run(name)))).to.deep.equal(names);
    expect(started).to.deep.equal(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'a5']);
    expect(mostRunning()).to.equal(2);
  });

  it('gives a full queue’s place to a group that has fewer waiting, and takes it from the group that has the most', async () => {
    const { run, started } = scene();
    const errors = new Map<string, unknown>();
    const noted = (name: string) => run(name).catch((error: unknown) => errors.set(name, error));
    const work = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'b2', 'b3', 'b4', 'c1'].map(noted);
    await Promise.all(work);
    // Six wait: a3 to a6, b1, b2. Then b3 takes the place of a6, b4 finds no larger share than its
    // own, and c1 takes the place of a5 or b3.
    expect([...errors.keys()]).to.have.members(['a6', 'b4', 'a5']);
    for (const error of errors.values()) expect(error).to.be.instanceOf(TooManyWaitingError);
    expect(started).to.deep.equal(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'b3']);
    expect(await run('a7'), 'once there is room').to.equal('a7');
  });

  it('refuses everybody when each group has its share, but not in the other queue, which has every second turn', async () => {
    const { run, started } = scene();
    const admitted = ['a1', 'a2', 'b1', 'c1', 'd1', 'e1', 'f1', 'g1'].map((name) => run(name));
    expect(await errorOf(run('h1'))).to.be.instanceOf(TooManyWaitingError);
    admitted.push(run('h2', 'two'), run('h3', 'two'));
    await Promise.all(admitted);
    expect(started.indexOf('h2')).to.be.below(4);
    expect(started.indexOf('h3')).to.be.below(6);
  });

  it('refuses a group that has its share of places waiting, while others still find one', async () => {
    const { run } = scene({ ...OPTIONS, maxQueuedPerGroup: 1 });
    const admitted = ['a1', 'a2', 'a3'].map((name) => run(name));
    expect(await errorOf(run('a4'))).to.be.instanceOf(TooManyWaitingError);
    expect(await Promise.all([...admitted, run('b1')])).to.deep.equal(['a1', 'a2', 'a3', 'b1']);
  });

  it('gives a full queue’s place to a site that has fewer waiting, however many groups the others have', async () => {
    const limit = createFairLimit({ ...OPTIONS, maxRunning: 1 });
    const started: string[] = [];
    const errors: string[] = [];
    /** Its first letter names the site, and its first two the group. */
    const run = (name: string) =>
      limit
        .run({ queue: 'one', group: name.slice(0, 2), site: name.charAt(0) }, async () => {
          started.push(name);
          await later();
        })
        .catch(() => errors.push(name));
    // One runs, and six of as many groups of its site wait.
    const work = ['sa1', 'sb1', 'sc1', 'sd1', 'se1', 'sf1', 'sg1', 'ta1', 'tb1', 'ua1'].map(run);
    // Within a site the group with the most gives way: there is none here.
    work.push(run('sh1'));
    await Promise.all(work);
    expect(errors).to.have.members(['sh1', 'sb1', 'sc1', 'sd1']);
    expect(started.slice(0, 6)).to.deep.equal(['sa1', 'se1', 'ta1', 'ua1', 'sf1', 'tb1']);
  });

  it('gives the place of work that failed to the next', async () => {
    const limit = createFairLimit({ ...OPTIONS, maxRunning: 1 });
    const place = { queue: 'one', group: 'a' } as const;
    const failing = limit.run(place, () => Promise.reject(new Error('no')));
    const next = limit.run(place, async () => 'next');
    expect(((await errorOf(failing)) as Error).message).to.equal('no');
    expect(await next).to.equal('next');
  });

  it('runs no more of one group than its share, and goes on with the next group that may run', async () => {
    const limit = createFairLimit({ queues: ['one'], maxRunning: 2, maxRunningPerGroup: 1 });
    const started: string[] = [];
    const ends = new Map<string, () => void>();
    const runs = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) =>
      limit.run({ queue: 'one', group: name.charAt(0) }, () => {
        started.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      }),
    );
    const end = async (name: string) => {
      ends.get(name)?.();
      await later();
    };
    await later();
    expect(started).to.deep.equal(['a1', 'b1']);
    await end('a1');
    expect(started).to.deep.equal(['a1', 'b1', 'a2']);
    await end('b1');
    expect(started, 'the third of a waits for its second').to.deep.equal(['a1', 'b1', 'a2', 'c1']);
    for (const name of ['a2', 'c1', 'a3']) await end(name);
    await Promise.all(runs);
    expect(started.at(-1)).to.equal('a3');
  });

  it('leaves room for another queue, however much waits in one', async () => {
    const limit = createFairLimit({ queues: ['one', 'two'], maxRunning: 3, maxRunningPerQueue: 2 });
    const started: string[] = [];
    let endAll: () => void = () => undefined;
    const end = new Promise<void>((resolve) => (endAll = resolve));
    const hold = (queue: 'one' | 'two', group: string) =>
      limit.run({ queue, group }, () => {
        started.push(group);
        return end;
      });
    const all = ['a', 'b', 'c', 'd'].map((group) => hold('one', group));
    all.push(hold('two', 'e'), hold('two', 'f'));
    await later();
    expect(started).to.deep.equal(['a', 'b', 'e']);
    endAll();
    await Promise.all(all);
    expect(started).to.have.members(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('can start the group first whose work has run for the least time', async () => {
    let clock = 0;
    const limit = createFairLimit({
      queues: ['one'],
      maxRunning: 1,
      leastTimeFirst: true,
      now: () => clock,
    });
    const started: string[] = [];
    const newcomers: Promise<void>[] = [];
    const run = (name: string, durationMs: number): Promise<void> =>
      limit.run({ queue: 'one', group: name.charAt(0) }, async () => {
        started.push(name);
        if (name === 'c2') newcomers.push(run('n1', 10), run('n2', 10));
        await later();
        clock += durationMs;
      });
    const durations = { a1: 300, a2: 100, b1: 200, b2: 100, b3: 100, c1: 100, c2: 1000 };
    await Promise.all(Object.entries(durations).map(([name, durationMs]) => run(name, durationMs)));
    await Promise.all(newcomers);
    expect(started).to.deep.equal(['a1', 'b1', 'c1', 'c2', 'n1', 'n2', 'b2', 'a2', 'b3']);
  });

  it('refuses work that has waited too long, and goes on with what came after it', async () => {
    const limit = createFairLimit({ queues: ['one'], maxRunning: 1, maxWaitMs: 20 });
    const place = { queue: 'one', group: 'a' } as const;
    let end: () => void = () => undefined;
    const running = limit.run(place, () => new Promise<void>((resolve) => (end = resolve)));
    expect(await errorOf(limit.run(place, async () => 'late'))).to.be.instanceOf(TooManyWaitingError);
    const next = limit.run(place, async () => 'next');
    end();
    await running;
    expect(await next).to.equal('next');
  });
});
