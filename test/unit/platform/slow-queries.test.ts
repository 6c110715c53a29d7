import { expect } from 'chai';
import { SLOW_READ_MS, SlowQueries } from '../../../shared/platform/postgres/slow-queries.js';

const LIST = { tenantId: 'a', query: 'list' };
const GET = { tenantId: 'a', query: 'get' };

describe('slow queries of a tenant', () => {
  let clock: number;
  let slow: SlowQueries;

  beforeEach(() => {
    clock = 0;
    slow = new SlowQueries(() => clock);
  });

  it("each slow query is recorded alone: the tenant's other queries and other tenants stay quick", () => {
    slow.record(GET, SLOW_READ_MS - 1);
    expect(slow.hasAny('a')).to.equal(false);
    slow.record(LIST, SLOW_READ_MS);
    expect(slow.has(LIST)).to.equal(true);
    expect(slow.has(GET)).to.equal(false);
    expect(slow.has({ ...LIST, tenantId: 'b' })).to.equal(false);
    expect([slow.hasAny('a'), slow.hasAny('b')]).to.deep.equal([true, false]);
  });

  it('a slow query expires a minute after its last slow read, regardless of other reads', () => {
    slow.record(LIST, SLOW_READ_MS);
    clock += 30_000;
    slow.record(LIST, SLOW_READ_MS);
    slow.record(GET, SLOW_READ_MS);
    clock += 59_999;
    expect([slow.has(LIST), slow.has(GET)]).to.deep.equal([true, true]);
    clock += 1;
    expect([slow.has(LIST), slow.has(GET), slow.hasAny('a')]).to.deep.equal([false, false, false]);
  });

  it('a slow query is deleted after twenty quick reads in a row', () => {
    const readQuickly = (times: number) => {
      for (let read = 0; read < times; read += 1) slow.record(LIST, 1);
    };
    slow.record(LIST, SLOW_READ_MS);
    readQuickly(19);
    slow.record(LIST, SLOW_READ_MS);
    readQuickly(19);
    expect(slow.has(LIST)).to.equal(true);
    readQuickly(1);
    expect([slow.has(LIST), slow.hasAny('a')]).to.deep.equal([false, false]);
  });

  it('a read that fails is measured too', async () => {
    const reading = slow.measure(LIST, () => {
      clock += SLOW_READ_MS;
      return Promise.reject(new Error('no'));
    });
    expect(await reading.catch((error: Error) => error.message)).to.equal('no');
    expect(slow.has(LIST)).to.equal(true);
  });
});
