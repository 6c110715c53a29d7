import { expect } from 'chai';
import fc from 'fast-check';
import { FairQueue } from '../../../shared/platform/limits/fair-queue.js';
import { Permits, type Pool } from '../../../workers/leased-queues/permits.js';

const TENANTS = ['a', 'b', 'c', 'd'];

describe('round-robin between tenants', () => {
  it("tenants are served in rounds, and each tenant's members in sequence", () => {
    const queue = new FairQueue<string>();
    for (const member of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) queue.push(member.charAt(0), member);
    const order = Array.from({ length: 7 }, () => queue.shift());
    expect(order).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined]);
    expect(queue.tenantCount).to.equal(0);
  });

  it('a waiting member and an ineligible tenant keep their position', () => {
    const queue = new FairQueue<string>();
    for (const member of ['a1', 'b1', 'a1', 'a2']) queue.push(member.charAt(0), member);
    expect(queue.shift((tenant) => tenant !== 'a')).to.equal('b1');
    expect(queue.shift(() => false)).to.equal(undefined);
    expect([queue.shift(), queue.shift(), queue.shift()]).to.deep.equal(['a1', 'a2', undefined]);
    queue.push('a', 'a1');
    expect(queue.shift(), 'a served member can wait again').to.equal('a1');
  });

  it('a tenant is served after at most one round, however much waits for others', () => {
    const steps = fc.array(fc.option(fc.constantFrom(...TENANTS), { nil: 'shift' }), { maxLength: 300 });
    fc.assert(
      fc.property(steps, (all) => {
        const queue = new FairQueue<string>();
        const waiting = new Map<string, string[]>(TENANTS.map((tenant) => [tenant, []]));
        /**
         * Maps each waiting tenant to the tenants that were served since it began to wait, or since
         * it was last served.
         */
        const servedSince = new Map<string, string[]>();
        for (const [index, step] of [...all, ...all.map(() => 'shift')].entries()) {
          if (step !== 'shift') {
            if (waiting.get(step)?.length === 0) servedSince.set(step, []);
            waiting.get(step)?.push(`${step}${index}`);
            queue.push(step, `${step}${index}`);
            continue;
          }
          const member = queue.shift();
          const isEmpty = [...waiting.values()].every((members) => members.length === 0);
          if (isEmpty || member === undefined) {
            expect([isEmpty, member]).to.deep.equal([true, undefined]);
            continue;
          }
          const tenant = member.charAt(0);
          expect(member, 'in sequence').to.equal(waiting.get(tenant)?.shift());
          servedSince.set(tenant, []);
          for (const other of TENANTS) {
            if (other === tenant || waiting.get(other)?.length === 0) continue;
            const served = [...(servedSince.get(other) ?? []), tenant];
            expect(new Set(served).size, 'no tenant is served twice before it').to.equal(served.length);
            servedSince.set(other, served);
          }
        }
      }),
    );
  });
});

describe('permits for webhook requests', () => {
  it('a pool has its limit of permits, of which one tenant gets half', () => {
    const permits = new Permits({ quick: 4, slow: 2 });
    for (const tenant of ['a', 'a']) {
      expect(permits.canAcquire('quick', tenant)).to.equal(true);
      permits.acquire('quick', tenant);
    }
    expect(permits.canAcquire('quick', 'a')).to.equal(false);
    expect(permits.canAcquire('slow', 'a'), 'the other pool is another matter').to.equal(true);
    expect(permits.canAcquire('quick', 'b')).to.equal(true);
    expect(permits.hasFreePermit('quick')).to.equal(true);
    permits.acquire('quick', 'b');
    permits.acquire('quick', 'b');
    expect(permits.hasFreePermit('quick')).to.equal(false);
    permits.moveToSlowPool('a');
    expect(permits.countInUse()).to.deep.equal({ quick: 3, slow: 1 });
    expect(permits.hasFreePermit('quick')).to.equal(true);
  });

  it('slow requests of one tenant keep no other tenant out of the slow pool and are limited', () => {
    const permits = new Permits({ quick: 8, slow: 8 });
    let held = 0;
    while (permits.hasFreePermit('quick') && permits.canAcquire('quick', 'bad')) {
      permits.acquire('quick', 'bad');
      permits.moveToSlowPool('bad');
      held += 1;
    }
    expect(held, 'both halves and no more').to.equal(8);
    for (let nth = 0; nth < 4; nth += 1) {
      expect(permits.hasFreePermit('slow') && permits.canAcquire('slow', 'good'), `${nth}`).to.equal(true);
      permits.acquire('slow', 'good');
    }
    for (let nth = 0; nth < held; nth += 1) permits.release('slow', 'bad');
    expect(permits.countInUse()).to.deep.equal({ quick: 0, slow: 4 });
    expect(permits.canAcquire('quick', 'bad')).to.equal(true);
  });

  it('a tenant never holds more than half of a pool, except by requests that became slow', () => {
    const step = fc.record({
      act: fc.constantFrom('take', 'take', 'give', 'move'),
      tenant: fc.constantFrom(...TENANTS),
      pool: fc.constantFrom<Pool>('quick', 'slow'),
    });
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 9 }), fc.array(step, { maxLength: 200 }), (limit, steps) => {
        const permits = new Permits({ quick: limit, slow: limit });
        const held: Record<Pool, string[]> = { quick: [], slow: [] };
        const drop = (pool: Pool, tenant: string) => {
          const index = held[pool].indexOf(tenant);
          if (index >= 0) held[pool].splice(index, 1);
          return index >= 0;
        };
        for (const { act, tenant, pool } of steps) {
          if (act === 'take' && permits.hasFreePermit(pool) && permits.canAcquire(pool, tenant)) {
            permits.acquire(pool, tenant);
            held[pool].push(tenant);
            const own = held[pool].filter((one) => one === tenant).length;
            expect(own).to.be.at.most(Math.ceil(limit / 2));
          }
          if (act === 'give' && drop(pool, tenant)) permits.release(pool, tenant);
          if (act === 'move' && drop('quick', tenant)) {
            permits.moveToSlowPool(tenant);
            held.slow.push(tenant);
          }
          expect(permits.countInUse()).to.deep.equal({ quick: held.quick.length, slow: held.slow.length });
        }
        for (const pool of ['quick', 'slow'] as const)
          for (const tenant of held[pool].splice(0)) permits.release(pool, tenant);
        for (const tenant of TENANTS) expect(permits.canAcquire('quick', tenant)).to.equal(true);
      }),
    );
  });
});
