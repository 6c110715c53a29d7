import { expect } from 'chai';
import { TimeShares } from '../../shared/platform/time-shares.js';

describe('shares of time', () => {
  let clock: number;
  let shares: TimeShares;
  const run = (group: string, ms: number) =>
    shares.measure(group, async () => {
      clock += ms;
    });

  beforeEach(() => {
    clock = 0;
    shares = new TimeShares(() => clock);
  });

  it('put a newcomer ahead, and do not hold against a group what it had while it was alone', async () => {
    shares.join('alone');
    shares.join('alone');
    await run('alone', 5000);
    shares.leave('alone');
    shares.join('newcomer');
    expect(shares.msOf('newcomer')).to.be.below(shares.msOf('alone'));
    await run('newcomer', 200);
    expect(shares.msOf('newcomer'), 'after one turn').to.be.above(shares.msOf('alone'));
  });

  it('let a group that comes back soon go on where it was, and save nothing up while it is absent', async () => {
    shares.join('busy');
    shares.join('now and then');
    await run('now and then', 3000);
    shares.leave('now and then');
    shares.join('now and then');
    expect(shares.msOf('now and then'), 'soon').to.be.above(shares.msOf('busy'));
    shares.leave('now and then');
    for (let turn = 0; turn < 3; turn += 1) {
      shares.join('busy');
      await run('busy', 5000);
      shares.leave('busy');
    }
    expect(shares.size, 'what no longer counts is forgotten').to.equal(1);
    shares.join('now and then');
    await run('now and then', 200);
    expect(shares.msOf('now and then'), 'late').to.be.above(shares.msOf('busy'));
  });

  it('count work that failed, and forget everybody once no work is left', async () => {
    shares.join('failing');
    shares.join('other');
    const failure = shares.measure('failing', () => {
      clock += 300;
      return Promise.reject(new Error('no'));
    });
    expect(await failure.catch((error: Error) => error.message)).to.equal('no');
    expect(shares.msOf('failing') - shares.msOf('other')).to.equal(300);
    shares.leave('failing');
    expect(shares.size).to.equal(2);
    shares.leave('other');
    expect(shares.size).to.equal(0);
  });
});
