import { expect } from 'chai';
import { createFairLimit, TooManyWaitingError } from '../../../shared/platform/limits/fair-limit.js';

describe('fair concurrency limit', () => {
  const OPTIONS = { queues: ['one', 'two'], maxRunning: 2, maxQueued: 6 } as const;
  const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve));

  /** Creates a limit that runs named work, and records each name when its work starts. */
  const createScenario = (options: Parameters<typeof createFairLimit<'one' | 'two'>>[0] = OPTIONS) => {
    const limit = createFairLimit(options);
    const started: string[] = [];
    let running = 0;
    let mostRunning = 0;
    const run = (name: string, queue: 'one' | 'two' = 'one') =>
      limit.run({ queue, group: name.charAt(0) }, async () => {
        running += 1;
        mostRunning = Math.max(mostRunning, running);
        started.push(name);
        await nextTick();
        running -= 1;
        return name;
      });
    return { run, started, mostRunning: () => mostRunning };
  };
  const catchError = (work: Promise<unknown>) => work.catch((error: unknown) => error);

  it('groups run round-robin and at most maxRunning at a time', async () => {
    const { run, started, mostRunning } = createScenario();
    const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1'];
    expect(await Promise.all(names.map((name) => run(name)))).to.deep.equal(names);
    expect(started).to.deep.equal(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'a5']);
    expect(mostRunning()).to.equal(2);
  });

  it('in a full queue, a group with fewer waiting displaces work of the group with the most', async () => {
    const { run, started } = createScenario();
    const errors = new Map<string, unknown>();
    const runOrRecordError = (name: string) => run(name).catch((error: unknown) => errors.set(name, error));
    const work = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'b2', 'b3', 'b4', 'c1'].map(runOrRecordError);
    await Promise.all(work);
    // First, a3 to a6, b1 and b2 wait. Then b3 displaces a6. b4 is refused, because no group has
    // more waiting entries than group b. Last, c1 displaces a5.
    expect([...errors.keys()]).to.have.members(['a6', 'b4', 'a5']);
    for (const error of errors.values()) expect(error).to.be.instanceOf(TooManyWaitingError);
    expect(started).to.deep.equal(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'b3']);
    expect(await run('a7'), 'once the queue has a free slot').to.equal('a7');
  });

  it('a full queue of equal groups refuses more work; the second queue starts every other time', async () => {
    const { run, started } = createScenario();
    const admitted = ['a1', 'a2', 'b1', 'c1', 'd1', 'e1', 'f1', 'g1'].map((name) => run(name));
    expect(await catchError(run('h1'))).to.be.instanceOf(TooManyWaitingError);
    admitted.push(run('h2', 'two'), run('h3', 'two'));
    await Promise.all(admitted);
    expect(started.indexOf('h2')).to.be.below(4);
    expect(started.indexOf('h3')).to.be.below(6);
  });

  it('a group at maxQueuedPerGroup is refused while others can still queue', async () => {
    const { run } = createScenario({ ...OPTIONS, maxQueuedPerGroup: 1 });
    const admitted = ['a1', 'a2', 'a3'].map((name) => run(name));
    expect(await catchError(run('a4'))).to.be.instanceOf(TooManyWaitingError);
    expect(await Promise.all([...admitted, run('b1')])).to.deep.equal(['a1', 'a2', 'a3', 'b1']);
  });

  it('in a full queue, a site with fewer waiting displaces a site that uses many groups', async () => {
    const limit = createFairLimit({ ...OPTIONS, maxRunning: 1 });
    const started: string[] = [];
    const errors: string[] = [];
    /** The first letter of a name is the site; the first two letters are the group. */
    const run = (name: string) =>
      limit
        .run({ queue: 'one', group: name.slice(0, 2), site: name.charAt(0) }, async () => {
          started.push(name);
          await nextTick();
        })
        .catch(() => errors.push(name));
    // sa1 runs, and six groups of site s wait with one entry each. The entries of sites t and u
    // displace entries of s.
    const work = ['sa1', 'sb1', 'sc1', 'sd1', 'se1', 'sf1', 'sg1', 'ta1', 'tb1', 'ua1'].map(run);
    // sh1 is refused. A new entry displaces an entry of another site only if that site has at least
    // two more waiting entries. Within its own site, the same rule applies to the groups. Here site
    // s has the most entries, and each of its groups has only one.
    work.push(run('sh1'));
    await Promise.all(work);
    expect(errors).to.have.members(['sh1', 'sb1', 'sc1', 'sd1']);
    expect(started.slice(0, 6)).to.deep.equal(['sa1', 'se1', 'ta1', 'ua1', 'sf1', 'tb1']);
  });

  it('work that failed frees its slot for the next', async () => {
    const limit = createFairLimit({ ...OPTIONS, maxRunning: 1 });
    const placement = { queue: 'one', group: 'a' } as const;
    const failing = limit.run(placement, () => Promise.reject(new Error('no')));
    const next = limit.run(placement, async () => 'next');
    expect(((await catchError(failing)) as Error).message).to.equal('no');
    expect(await next).to.equal('next');
  });

  it('a group runs at most maxRunningPerGroup, and the next group runs instead', async () => {
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
      await nextTick();
    };
    await nextTick();
    expect(started).to.deep.equal(['a1', 'b1']);
    await end('a1');
    expect(started).to.deep.equal(['a1', 'b1', 'a2']);
    await end('b1');
    expect(started, 'the third of a waits for its second').to.deep.equal(['a1', 'b1', 'a2', 'c1']);
    for (const name of ['a2', 'c1', 'a3']) await end(name);
    await Promise.all(runs);
    expect(started.at(-1)).to.equal('a3');
  });

  it('maxRunningPerQueue keeps slots free for the second queue', async () => {
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
    await nextTick();
    expect(started).to.deep.equal(['a', 'b', 'e']);
    endAll();
    await Promise.all(all);
    expect(started).to.have.members(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('leastTimeFirst starts the group with the least running time first', async () => {
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
        await nextTick();
        clock += durationMs;
      });
    const durations = { a1: 300, a2: 100, b1: 200, b2: 100, b3: 100, c1: 100, c2: 1000 };
    await Promise.all(Object.entries(durations).map(([name, durationMs]) => run(name, durationMs)));
    await Promise.all(newcomers);
    expect(started).to.deep.equal(['a1', 'b1', 'c1', 'c2', 'n1', 'n2', 'b2', 'a2', 'b3']);
  });

  it('work that waits longer than maxWaitMs is refused, and later work continues', async () => {
    const limit = createFairLimit({ queues: ['one'], maxRunning: 1, maxWaitMs: 20 });
    const placement = { queue: 'one', group: 'a' } as const;
    let end: () => void = () => undefined;
    const running = limit.run(placement, () => new Promise<void>((resolve) => (end = resolve)));
    expect(await catchError(limit.run(placement, async () => 'late'))).to.be.instanceOf(TooManyWaitingError);
    const next = limit.run(placement, async () => 'next');
    end();
    await running;
    expect(await next).to.equal('next');
  });
});
