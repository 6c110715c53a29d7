import { expect } from 'chai';
import { PostponedError } from '../../../shared/outbound/outbound-error.js';
import { createLimiter } from '../../../shared/platform/limits/limiter.js';
import { getDomainKey, HostBudget } from '../../../workers/webhooks/send/host-budget.js';

const LIMIT_BYTES = 64 * 1024;
/**
 * The size of each request's body. With the overhead per request, sixteen requests reach the limit.
 */
const BODY_BYTES = 3 * 1024;

/**
 * Returns how many of `count` requests are admitted. Asserts that the others must wait at most a
 * minute.
 */
async function countAdmitted(
  budget: HostBudget,
  to: { tenantId?: string; url?: string; address?: string },
  count = 40,
) {
  const destination = { tenantId: 'a', url: 'https://hooks.example.com/x', address: '93.184.216.34', ...to };
  const outcomes = await Promise.allSettled(
    Array.from({ length: count }, () => budget.admit(destination, BODY_BYTES)),
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    expect(outcome.reason).to.be.instanceOf(PostponedError);
    expect(outcome.reason.waitMs).to.be.within(1, 60_000);
  }
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

describe('byte limit per host', () => {
  const createBudget = (limiter = createLimiter(undefined)) => new HostBudget(limiter, LIMIT_BYTES);

  it('an account can send a limited number of bytes per minute to a host', async () => {
    const budget = createBudget();
    expect(await countAdmitted(budget, {})).to.equal(16);
    expect(await countAdmitted(budget, {})).to.equal(0);
  });

  it('all names of one domain count together, regardless of their addresses', async () => {
    const budget = createBudget();
    let sum = 0;
    for (let nth = 0; nth < 20; nth += 1)
      sum += await countAdmitted(
        budget,
        { url: `https://n${nth}.example.com/`, address: `93.184.216.${nth}` },
        2,
      );
    expect(sum).to.equal(16);
  });

  it('all names of one address count together, regardless of their domains', async () => {
    const budget = createBudget();
    let sum = 0;
    for (let nth = 0; nth < 20; nth += 1)
      sum += await countAdmitted(budget, { url: `https://n${nth}.test${nth}/` }, 2);
    expect(sum).to.equal(16);
  });

  it('other accounts and other hosts have separate limits', async () => {
    const budget = createBudget();
    expect(await countAdmitted(budget, {})).to.equal(16);
    expect(await countAdmitted(budget, { tenantId: 'b' })).to.equal(16);
    expect(await countAdmitted(budget, { url: 'https://other.test/', address: '93.184.216.35' })).to.equal(
      16,
    );
  });

  it('workers that share a limiter share the limit', async () => {
    const limiter = createLimiter(undefined);
    const [one, other] = [createBudget(limiter), createBudget(limiter)];
    const counts = await Promise.all([countAdmitted(one, {}), countAdmitted(other, {})]);
    expect((counts[0] ?? 0) + (counts[1] ?? 0)).to.be.within(14, 16);
  });

  it('a request larger than the limit is admitted alone', async () => {
    const budget = createBudget();
    const destination = { tenantId: 'a', url: 'https://example.com/', address: '93.184.216.34' };
    await budget.admit(destination, 2 * LIMIT_BYTES);
    expect(await countAdmitted(budget, {})).to.equal(0);
  });

  it('all names within the /56 of an IPv6 address count together', async () => {
    const budget = createBudget();
    expect(
      await countAdmitted(budget, { url: 'https://a.one.example/', address: '2606:2800:220:100::1' }),
    ).to.be.above(0);
    const sameCustomer = { url: 'https://b.two.test/', address: '2606:2800:220:1ff:248:1893:25c8:1946' };
    expect(await countAdmitted(budget, sameCustomer)).to.equal(0);
    const another = { url: 'https://c.three.invalid/', address: '2606:2800:220:200::1' };
    expect(await countAdmitted(budget, another)).to.be.above(0);
  });

  it('the registered part of a name identifies the host, and IP addresses have no name key', () => {
    expect(getDomainKey('https://a.b.Example.com./x')).to.equal('example.com');
    expect(getDomainKey('https://a.b.towing.co.uk/')).to.equal('towing.co.uk');
    expect(getDomainKey('https://other.co.uk/')).to.equal('other.co.uk');
    expect(getDomainKey('http://localhost:4000/')).to.equal('localhost');
    expect([getDomainKey('https://93.184.216.34/'), getDomainKey('https://[2001:db8::1]/')]).to.deep.equal([
      undefined,
      undefined,
    ]);
  });
});
