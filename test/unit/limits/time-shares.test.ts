import { expect } from 'chai';
import { RunTimeShares } from '../../../shared/platform/limits/time-shares.js';

describe('fair shares of run time', () => {
  let clock: number;
  let shares: RunTimeShares;
  const run = (group: string, ms: number) =>
    shares.measure(group, async () => {
      clock += ms;
    });

  beforeEach(() => {
    clock = 0;
    shares = new RunTimeShares(() => clock);
  });

  it('a newcomer goes first, and a group is not charged for time when it was alone', async () => {
    shares.join('alone');
    shares.join('alone');
    await run('alone', 5000);
    shares.leave('alone');
    shares.join('newcomer');
    expect(shares.getRunTimeMs('newcomer')).to.be.below(shares.getRunTimeMs('alone'));
    await run('newcomer', 200);
    expect(shares.getRunTimeMs('newcomer'), 'after one run').to.be.above(shares.getRunTimeMs('alone'));
  });

  it('a group that returns soon keeps its time, and absence saves up no credit', async () => {
    shares.join('busy');
    shares.join('now and then');
    await run('now and then', 3000);
    shares.leave('now and then');
    shares.join('now and then');
    expect(shares.getRunTimeMs('now and then'), 'soon').to.be.above(shares.getRunTimeMs('busy'));
    shares.leave('now and then');
    for (let round = 0; round < 3; round += 1) {
      shares.join('busy');
      await run('busy', 5000);
      shares.leave('busy');
    }
    expect(shares.size, 'expired shares are deleted').to.equal(1);
    shares.join('now and then');
    await run('now and then', 200);
    expect(shares.getRunTimeMs('now and then'), 'late').to.be.above(shares.getRunTimeMs('busy'));
  });

  it('failed work counts, and all shares are deleted when no work is left', async () => {
    shares.join('failing');
    shares.join('other');
    const failure = shares.measure('failing', () => {
      clock += 300;
      return Promise.reject(new Error('no'));
    });
    expect(await failure.catch((error: Error) => error.message)).to.equal('no');
    expect(shares.getRunTimeMs('failing') - shares.getRunTimeMs('other')).to.equal(300);
    shares.leave('failing');
    expect(shares.size).to.equal(2);
    shares.leave('other');
    expect(shares.size).to.equal(0);
  });
});
