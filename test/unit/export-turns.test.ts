import { expect } from 'chai';
import { Turns } from '../../workers/exports/turns.js';

const waiting = (tenant_id: string, id: string, isLarge = false) => ({ tenant_id, id, isLarge });

/** What begins now, in order. */
function begun(turns: Turns): string[] {
  const ids: string[] = [];
  for (let next = turns.next(); next; next = turns.next()) ids.push(next.id);
  return ids;
}

describe('turns of exports', () => {
  it('let a small one begin at once, however many large ones there are, of however many accounts', () => {
    const turns = new Turns(3);
    for (let nth = 0; nth < 10; nth += 1) turns.add(waiting('big', `big-${nth}`, true));
    for (let nth = 0; nth < 5; nth += 1) turns.add(waiting(`other-${nth}`, `other-${nth}`, true));
    expect(begun(turns)).to.deep.equal(['big-0', 'other-0']);
    turns.add(waiting('small', 'small-1'));
    expect(begun(turns)).to.deep.equal(['small-1']);
  });

  it('run one of an account at a time, and give the next turn to another account', () => {
    const turns = new Turns(2);
    turns.add(waiting('a', 'a1', true));
    turns.add(waiting('a', 'a2', true));
    turns.add(waiting('b', 'b1', true));
    expect(begun(turns)).to.deep.equal(['a1']);
    turns.end(waiting('a', 'a1', true));
    expect(begun(turns)).to.deep.equal(['b1']);
    turns.end(waiting('b', 'b1', true));
    expect(begun(turns)).to.deep.equal(['a2']);
  });

  it('let neither small nor large ones starve where there is but one slot, or where small ones never end', () => {
    for (const slots of [1, 2]) {
      const turns = new Turns(slots);
      turns.add(waiting('large', 'large', true));
      for (let nth = 0; nth < 20; nth += 1) turns.add(waiting(`small-${nth}`, `small-${nth}`));
      const order: string[] = [];
      let running = begun(turns);
      while (running.length > 0) {
        order.push(...running);
        for (const id of running) turns.end(waiting(id, id));
        running = begun(turns);
      }
      expect(order).to.have.length(21);
      expect(order.indexOf('large'), order.join()).to.be.below(4);
    }
  });

  it('know each export once, until it has ended', () => {
    const turns = new Turns(2);
    const one = waiting('a', 'a1');
    turns.add(one);
    turns.add({ ...one });
    expect(turns.counts).to.deep.equal({ running: 0, waiting: 1 });
    expect(begun(turns)).to.deep.equal(['a1']);
    turns.add({ ...one });
    expect(turns.counts).to.deep.equal({ running: 1, waiting: 0 });
    turns.end(one);
    turns.add(one);
    expect(begun(turns)).to.deep.equal(['a1']);
  });
});
