import { expect } from 'chai';
import { FairExportQueue } from '../../../workers/exports/fair-export-queue.js';

const waiting = (tenant_id: string, id: string, isLarge = false) => ({ tenant_id, id, isLarge });

/** Removes from the queue all exports that can start now, and returns their ids. */
function startAll(queue: FairExportQueue): string[] {
  const ids: string[] = [];
  for (let next = queue.takeNext(); next; next = queue.takeNext()) ids.push(next.id);
  return ids;
}

describe('fair export queue', () => {
  it('a small export starts immediately, however many large exports of other accounts wait', () => {
    const queue = new FairExportQueue(3);
    for (let nth = 0; nth < 10; nth += 1) queue.add(waiting('big', `big-${nth}`, true));
    for (let nth = 0; nth < 5; nth += 1) queue.add(waiting(`other-${nth}`, `other-${nth}`, true));
    expect(startAll(queue)).to.deep.equal(['big-0', 'other-0']);
    queue.add(waiting('small', 'small-1'));
    expect(startAll(queue)).to.deep.equal(['small-1']);
  });

  it('an account runs one export at a time, and another account gets the next slot', () => {
    const queue = new FairExportQueue(2);
    queue.add(waiting('a', 'a1', true));
    queue.add(waiting('a', 'a2', true));
    queue.add(waiting('b', 'b1', true));
    expect(startAll(queue)).to.deep.equal(['a1']);
    queue.finish(waiting('a', 'a1', true));
    expect(startAll(queue)).to.deep.equal(['b1']);
    queue.finish(waiting('b', 'b1', true));
    expect(startAll(queue)).to.deep.equal(['a2']);
  });

  it('neither small nor large exports starve with one slot or endless small exports', () => {
    for (const slots of [1, 2]) {
      const queue = new FairExportQueue(slots);
      queue.add(waiting('large', 'large', true));
      for (let nth = 0; nth < 20; nth += 1) queue.add(waiting(`small-${nth}`, `small-${nth}`));
      const startedIds: string[] = [];
      let running = startAll(queue);
      while (running.length > 0) {
        startedIds.push(...running);
        for (const id of running) queue.finish(waiting(id, id));
        running = startAll(queue);
      }
      expect(startedIds).to.have.length(21);
      expect(startedIds.indexOf('large'), startedIds.join()).to.be.below(4);
    }
  });

  it('an export is queued only once until it has finished', () => {
    const queue = new FairExportQueue(2);
    const one = waiting('a', 'a1');
    queue.add(one);
    queue.add({ ...one });
    expect(queue.counts).to.deep.equal({ running: 0, waiting: 1 });
    expect(startAll(queue)).to.deep.equal(['a1']);
    queue.add({ ...one });
    expect(queue.counts).to.deep.equal({ running: 1, waiting: 0 });
    queue.finish(one);
    queue.add(one);
    expect(startAll(queue)).to.deep.equal(['a1']);
  });
});
