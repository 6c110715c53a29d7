import { expect } from 'chai';
import { TimeShares } from '../../shared/platform/time-shares.js';

describe('fair shares of run time', () => {
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

  it('a newcomer goes first, and a group is not charged for time when it was alone', async () => {
    shares.join('alone');
    shares.join('alone');
    await run('alone', 5000);
    shares.leave('alone');
    shares.join('newcomer');
    expect(shares.msOf('newcomer')).to.be.below(shares.msOf('alone'));
    await run('newcomer', 200);
    expect(shares.msOf('newcomer'), 'after one run').to.be.above(shares.msOf('alone'));
  });

  it('a group that returns soon keeps its time, and absence saves up no credit', async () => {
    shares.join('busy');
    shares.join('now and then');
    await run('now and then', 3000);
    shares.leave('now and then');
    shares.join('now and then');
    expect(shares.msOf('now and then'), 'soon').to.be.above(shares.msOf('busy'));
    shares.leave('now and then');
    for (let round = 0; round < 3; round += 1) {
      shares.join('busy');
      await run('busy', 5000);
      shares.leave('busy');
    }
    expect(shares.size, 'expired shares are deleted').to.equal(1);
    shares.join('now and then');
    await run('now and then', 200);
    expect(shares.msOf('now and then'), 'late').to.be.above(shares.msOf('busy'));
  });

  it('failed work counts, and all shares are deleted when no work is left', async () => {
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
