import { expect } from 'chai';
import { RecentUse } from '../../shared/platform/recent-use.js';

describe('the recent use of a group', () => {
  it('counts half after its half-life, also of work that failed, and is forgotten in the end', async () => {
    let clock = 0;
    const use = new RecentUse({ halfLifeMs: 1000, now: () => clock });
    const run = (group: string, ms: number) =>
      use.measure(group, async () => {
        clock += ms;
      });
    await run('a', 80);
    expect(use.msOf('a')).to.equal(80);
    expect(use.msOf('b')).to.equal(0);
    clock += 1000;
    expect(use.msOf('a')).to.equal(40);
    const failure = await use
      .measure('a', () => {
        clock += 10;
        return Promise.reject(new Error('no'));
      })
      .catch((error: Error) => error.message);
    expect(failure).to.equal('no');
    expect(use.msOf('a')).to.be.closeTo(50, 1);
    clock += 10_000;
    await run('b', 1);
    expect(use.size).to.equal(1);
    expect(use.msOf('a')).to.equal(0);
  });
});
