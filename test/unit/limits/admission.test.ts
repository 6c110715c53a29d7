import { expect } from 'chai';
import { Admission } from '../../../shared/platform/limits/admission.js';
import { Capacity } from '../../../shared/platform/limits/capacity.js';
import { LoopBudget } from '../../../shared/platform/limits/loop-budget.js';
import { PacedQueue } from '../../../shared/platform/limits/paced-queue.js';

const enterMany = (admission: Admission, tenantId: string, count: number) =>
  Array.from({ length: count }, (_, nth) => {
    const leave = admission.enter(tenantId);
    expect(leave, `request ${nth} of ${tenantId}`).to.be.a('function');
    return () => leave?.({ hasSucceeded: true });
  });

describe('admission of requests', () => {
  const unused = { isUsedUp: false };

  it('a tenant that fills the limit is refused, and other tenants still have equal shares of it', () => {
    const admission = new Admission(90, unused);
    const [leave] = enterMany(admission, 'flood', 90);
    expect(admission.isFull).to.equal(true);
    expect(admission.enter('flood')).to.equal(undefined);
    enterMany(admission, 'second', 45);
    expect(admission.enter('second'), 'more than a half').to.equal(undefined);
    enterMany(admission, 'third', 30);
    expect(admission.enter('third'), 'more than a third').to.equal(undefined);
    expect(admission.enter('flood')).to.equal(undefined);
    leave?.();
    expect(admission.enter('flood'), 'the others fill the limit alone').to.equal(undefined);
  });

  it('a request that has ended makes room for another', () => {
    const admission = new Admission(10, unused);
    const [leave] = enterMany(admission, 'only', 10);
    expect(admission.isFullFor('only')).to.equal(true);
    leave?.();
    expect(admission.isFullFor('only')).to.equal(false);
    enterMany(admission, 'only', 1);
  });

  it('the more tenants have open requests, the smaller is the share of another one', () => {
    const admission = new Admission(100, unused);
    enterMany(admission, 'flood', 100);
    for (const [tenants, share] of [
      [2, 50],
      [3, 34],
      [4, 25],
      [5, 20],
    ] as const) {
      enterMany(admission, `tenant ${tenants}`, share);
      expect(admission.isFullFor(`tenant ${tenants}`), `${tenants} tenants`).to.equal(true);
    }
    for (let tenant = 6; tenant < 200; tenant += 1) enterMany(admission, `tenant ${tenant}`, 1);
  });

  it('the limit follows what succeeds in a second, and is never below the minimum', () => {
    let clock = 0;
    const admission = new Admission(10, unused, new Capacity(10, () => clock));
    const runSecond = (count: number, hasSucceeded: boolean) => {
      for (let nth = 0; nth < count; nth += 1) admission.enter('tenant')?.({ hasSucceeded });
      clock += 1000;
      admission.isFullFor('tenant');
    };
    runSecond(40, false);
    enterMany(admission, 'tenant', 10);
    expect(admission.enter('tenant'), 'after errors').to.equal(undefined);
    clock = 0;
    const other = new Admission(10, unused, new Capacity(10, () => clock));
    for (let nth = 0; nth < 15; nth += 1) enterMany(other, 'tenant', 1)[0]?.();
    clock += 1000;
    const open = enterMany(other, 'tenant', 15);
    expect(other.enter('tenant')).to.equal(undefined);
    for (let second = 0; second < 10; second += 1) {
      clock += 1000;
      other.isFullFor('tenant');
    }
    for (const leave of open.slice(0, 6)) leave();
    enterMany(other, 'tenant', 1);
    expect(other.enter('tenant'), 'after seconds in which nothing finished').to.equal(undefined);
  });

  it('when the event loop has no time, a tenant gets no more than an equal share of what is open', () => {
    const budget = { isUsedUp: false };
    const admission = new Admission(100, budget);
    enterMany(admission, 'flood', 9);
    budget.isUsedUp = true;
    enterMany(admission, 'flood', 1);
    expect(admission.enter('flood'), 'a tenth of the minimum is open').to.equal(undefined);
    enterMany(admission, 'quiet', 1);
    budget.isUsedUp = false;
    enterMany(admission, 'flood', 1);
  });
});

describe('measured capacity', () => {
  let clock: number;
  let capacity: Capacity;
  const runSecond = (finished: number, open: number) => {
    for (let nth = 0; nth < finished; nth += 1) capacity.countFinished();
    clock += 1000;
    capacity.update(open);
  };

  beforeEach(() => {
    clock = 0;
    capacity = new Capacity(100, () => clock);
  });

  it('rises by half at most in a second, and does not fall while requests wait for less than a second', () => {
    runSecond(120, 0);
    expect(capacity.perSecond).to.equal(120);
    runSecond(5000, 0);
    expect(capacity.perSecond).to.equal(180);
    capacity.update(3);
    runSecond(3, 3);
    expect(capacity.perSecond).to.equal(180);
  });

  it('falls step by step while more requests are open than finish in a second', () => {
    runSecond(60, 80);
    expect(capacity.perSecond, 'few were open when the window began').to.equal(100);
    runSecond(60, 80);
    expect(capacity.perSecond).to.equal(80);
    capacity.update(59);
    runSecond(60, 80);
    expect(capacity.perSecond, 'few were open for a moment').to.equal(80);
  });
});

describe('time budget of the event loop', () => {
  let clock: number;
  let budget: LoopBudget;
  let ends: (() => void)[];
  /**
   * Runs an event-loop iteration whose requests take `ms`. Returns whether the budget was then used
   * up.
   */
  const iterate = (ms: number): boolean => {
    budget.countArrival();
    clock += ms;
    budget.countArrival();
    const { isUsedUp } = budget;
    for (const end of ends.splice(0)) end();
    return isUsedUp;
  };

  beforeEach(() => {
    clock = 0;
    ends = [];
    budget = new LoopBudget({ now: () => clock, afterRequests: (end) => ends.push(end) });
  });

  it('one long iteration uses up nothing, and iterations that stay long do after a second', () => {
    expect(iterate(900)).to.equal(false);
    expect(iterate(50)).to.equal(false);
    for (let nth = 0; nth < 6; nth += 1) expect(iterate(200), `iteration ${nth}`).to.equal(false);
    expect(iterate(200)).to.equal(true);
    expect(iterate(90), 'the first 100 ms').to.equal(false);
  });

  it('it refuses until iterations have been short for a second', () => {
    while (!iterate(200));
    for (let nth = 0; nth < 8; nth += 1) iterate(99);
    expect(iterate(200)).to.equal(true);
    for (let nth = 0; nth < 12; nth += 1) iterate(99);
    expect(iterate(200)).to.equal(false);
  });

  it('long iterations with a pause between them use up nothing', () => {
    for (let nth = 0; nth < 5; nth += 1) {
      expect(iterate(900), `iteration ${nth}`).to.equal(false);
      clock += 600;
    }
  });

  it('an unknown sender may always send one request in an iteration', () => {
    while (!iterate(200));
    budget.countArrival();
    clock += 101;
    expect(budget.isUsedUpFor('first')).to.equal(false);
    expect(budget.isUsedUpFor('first')).to.equal(true);
    expect(budget.isUsedUpFor('second')).to.equal(false);
    for (const end of ends.splice(0)) end();
    budget.countArrival();
    clock += 101;
    expect(budget.isUsedUpFor('first'), 'in the next iteration').to.equal(false);
  });
});

describe('paced work', () => {
  it('takes turns between tenants, and lets the event loop do other work meanwhile', async () => {
    const queue = new PacedQueue();
    const done: string[] = [];
    const add = (tenantId: string) =>
      queue.add(tenantId, () => {
        const until = performance.now() + 5;
        while (performance.now() < until);
        done.push(tenantId);
      });
    for (let nth = 0; nth < 20; nth += 1) add('flood');
    add('quiet');
    while (done.filter((one) => one !== 'other').length < 21) {
      await new Promise((resolve) => setImmediate(resolve));
      done.push('other');
    }
    expect(done.indexOf('other'), 'the first other work').to.be.within(1, 5);
    expect(done.filter((one) => one !== 'other').indexOf('quiet')).to.equal(1);
    expect(done.filter((one) => one === 'flood')).to.have.length(20);
  });
});
