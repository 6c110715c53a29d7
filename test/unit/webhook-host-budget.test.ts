import { expect } from 'chai';
import { createLimiter } from '../../shared/platform/limiter.js';
import { HeldBackError } from '../../shared/platform/outbound/outbound-error.js';
import { HostBudget, nameKey } from '../../workers/webhooks/host-budget.js';

const BOUND = 64 * 1024;
/** With what every request costs beside its body: sixteen of them are the bound. */
const BODY = 3 * 1024;

/**
 * How many of so many requests are let through; the others must be held back for at most a minute.
 */
async function admitted(
  budget: HostBudget,
  to: { tenantId?: string; url?: string; address?: string },
  count = 40,
) {
  const destination = { tenantId: 'a', url: 'https://hooks.example.com/x', address: '93.184.216.34', ...to };
  const outcomes = await Promise.allSettled(
    Array.from({ length: count }, () => budget.admit(destination, BODY)),
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    expect(outcome.reason).to.be.instanceOf(HeldBackError);
    expect(outcome.reason.waitMs).to.be.within(1, 60_000);
  }
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

describe('HostBudget', () => {
  const budgetOf = (limiter = createLimiter(undefined)) => new HostBudget(limiter, BOUND);

  it('lets an account send its bytes of a minute to a host, and no more', async () => {
    const budget = budgetOf();
    expect(await admitted(budget, {})).to.equal(16);
    expect(await admitted(budget, {})).to.equal(0);
  });

  it('counts names of one owner together, whatever their addresses', async () => {
    const budget = budgetOf();
    let sum = 0;
    for (let nth = 0; nth < 20; nth += 1)
      sum += await admitted(budget, { url: `https://n${nth}.example.com/`, address: `93.184.216.${nth}` }, 2);
    expect(sum).to.equal(16);
  });

  it('counts names of one address together, whoever owns them', async () => {
    const budget = budgetOf();
    let sum = 0;
    for (let nth = 0; nth < 20; nth += 1)
      sum += await admitted(budget, { url: `https://n${nth}.test${nth}/` }, 2);
    expect(sum).to.equal(16);
  });

  it('leaves another account and another host alone', async () => {
    const budget = budgetOf();
    expect(await admitted(budget, {})).to.equal(16);
    expect(await admitted(budget, { tenantId: 'b' })).to.equal(16);
    expect(await admitted(budget, { url: 'https://other.test/', address: '93.184.216.35' })).to.equal(16);
  });

  it('shares the bound with every worker that counts at the same store', async () => {
    const limiter = createLimiter(undefined);
    const [one, other] = [budgetOf(limiter), budgetOf(limiter)];
    const counts = await Promise.all([admitted(one, {}), admitted(other, {})]);
    expect((counts[0] ?? 0) + (counts[1] ?? 0)).to.be.within(14, 16);
  });

  it('lets a request that is larger than the bound through alone', async () => {
    const budget = budgetOf();
    const destination = { tenantId: 'a', url: 'https://example.com/', address: '93.184.216.34' };
    await budget.admit(destination, 2 * BOUND);
    expect(await admitted(budget, {})).to.equal(0);
  });

  it('bounds what goes to the /56 of an IPv6 address, whatever the names', async () => {
    const budget = budgetOf();
    expect(
      await admitted(budget, { url: 'https://a.one.example/', address: '2606:2800:220:100::1' }),
    ).to.be.above(0);
    const sameCustomer = { url: 'https://b.two.test/', address: '2606:2800:220:1ff:248:1893:25c8:1946' };
    expect(await admitted(budget, sameCustomer)).to.equal(0);
    const another = { url: 'https://c.three.invalid/', address: '2606:2800:220:200::1' };
    expect(await admitted(budget, another)).to.be.above(0);
  });

  it('takes the last two labels of a name as one host, and leaves addresses to their networks', () => {
    expect(nameKey('https://a.b.Example.com./x')).to.equal('example.com');
    expect(nameKey('http://localhost:4000/')).to.equal('localhost');
    expect([nameKey('https://93.184.216.34/'), nameKey('https://[2001:db8::1]/')]).to.deep.equal([
      undefined,
      undefined,
    ]);
  });
});
