import { expect } from 'chai';
import { createFairLimit } from '../../shared/platform/fair-limit.js';
import { GateFullError } from '../../shared/platform/gate.js';

/** Work that ends when it is told to. */
function heldWork() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    started.push(name);
    return new Promise<void>((resolve) => ends.set(name, resolve));
  };
  const end = async (name: string) => {
    // What was let in starts in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { started, work, end };
}

describe('a fair limit', () => {
  it('gives tenants turns, however much waits for one of them', async () => {
    const limit = createFairLimit({ maxRunning: 1, maxQueued: 10, maxQueuedPerTenant: 5 });
    const { started, work, end } = heldWork();
    const runs = ['a1', 'a2', 'a3', 'b1'].map((name) => limit.run(name[0] as string, work(name)));
    for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name);
    await Promise.all(runs);
    expect(started).to.deep.equal(['a1', 'a2', 'b1', 'a3']);
  });

  it('refuses what exceeds the places of a tenant or of all, and frees a place when work fails', async () => {
    const limit = createFairLimit({ maxRunning: 1, maxQueued: 2, maxQueuedPerTenant: 1 });
    const { work, end } = heldWork();
    const failing = limit.run('a', async () => {
      await work('a1')();
      throw new Error('broken');
    });
    const failure = failing.catch((error: Error) => error.message);
    const waiting = limit.run('a', work('a2'));
    const refusal = (tenantId: string) =>
      limit
        .run(tenantId, async () => undefined)
        .then(
          () => 'ran',
          (error: unknown) => error instanceof GateFullError,
        );
    expect(await refusal('a'), 'a second place of the tenant').to.equal(true);
    const other = limit.run('b', work('b1'));
    expect(await refusal('c'), 'a third place of all').to.equal(true);
    await end('a1');
    expect(await failure).to.equal('broken');
    await end('a2');
    await end('b1');
    await Promise.all([waiting, other]);
    expect(await limit.run('a', async () => 'free again')).to.equal('free again');
  });
});
