import { expect } from 'chai';
import { FAULTS } from '../../soak/faults.js';
import { readCommandOptions } from '../../soak/options.js';

describe('the options of npm run soak', () => {
  it('without options all faults are made for ten minutes', () => {
    const { seed: _, faults, ...others } = readCommandOptions([]);
    expect(faults).to.deep.equal(FAULTS);
    expect(others).to.deep.equal({
      minutes: 10,
      state: '.data/soak',
      clients: 12,
      sparesWitnesses: false,
      withSentinels: false,
      withStandby: false,
      withClocks: false,
      withSlowDisk: false,
    });
  });

  it('a pattern chooses faults by their names', () => {
    const { faults } = readCommandOptions(['--only', '^kill (web|mcp)$']);
    expect(faults.map(({ name }) => name)).to.deep.equal(['kill web', 'kill mcp']);
  });

  for (const args of [
    ['--bogus'],
    ['--only', '['],
    ['--only', 'nothing'],
    ['--minutes', '0'],
    ['--clients', '0'],
    ['--seed', 'x'],
  ])
    it(`${args.join(' ')} is refused with one line`, () => {
      expect(() => readCommandOptions(args)).to.throw(Error, /^.+$/);
    });
});
