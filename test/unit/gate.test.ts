import { expect } from 'chai';
import { createGate, GateFullError } from '../../shared/platform/gate.js';

describe('a gate', () => {
  const later = () => new Promise<void>((resolve) => setImmediate(resolve));

  it('lets no more than its number run at once, in the order of their coming, and all of them in the end', async () => {
    const gate = createGate({ atOnce: 2, waiting: 10 });
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const work = (index: number) => async () => {
      running += 1;
      most = Math.max(most, running);
      order.push(index);
      await later();
      running -= 1;
      return index;
    };
    const done = await Promise.all([0, 1, 2, 3, 4, 5].map((index) => gate.run(work(index))));
    expect(done).to.deep.equal([0, 1, 2, 3, 4, 5]);
    expect(order).to.deep.equal([0, 1, 2, 3, 4, 5]);
    expect(most).to.equal(2);
  });

  it('turns away at once who would wait as one too many, and takes work again when there is room', async () => {
    const gate = createGate({ atOnce: 1, waiting: 1 });
    const both = [gate.run(later), gate.run(later)];
    const refused = await gate.run(later).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(GateFullError);
    await Promise.all(both);
    expect(await gate.run(async () => 'in')).to.equal('in');
  });

  it('gives the place of work that failed to the next', async () => {
    const gate = createGate({ atOnce: 1, waiting: 1 });
    const failing = gate.run(() => Promise.reject(new Error('no')));
    const next = gate.run(async () => 'next');
    expect(await failing.catch((error: Error) => error.message)).to.equal('no');
    expect(await next).to.equal('next');
  });
});
