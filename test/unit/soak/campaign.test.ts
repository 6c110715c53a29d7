import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Campaign, NO_FIGURES, type RunRecord } from '../../soak/figures.js';
import { computeSlope, renderGrowth } from '../../soak/samples.js';

const buildRun = (seed: number, writes: number): RunRecord => ({
  seed,
  startedAt: new Date(seed).toISOString(),
  figures: { ...NO_FIGURES, writes },
  faults: {},
  failures: [],
});

describe('the figures of the soak', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tow-campaign-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('a further run adds to the stored runs, and a checkpoint replaces that of its own run', () => {
    const first = new Campaign(folder);
    first.save(buildRun(1, 10));
    first.save(buildRun(1, 30));
    const second = new Campaign(folder);
    second.save(buildRun(2, 5));
    expect(second.sum(buildRun(2, 7)).writes).to.equal(37);
    expect(new Campaign(folder).sum(buildRun(3, 0)).writes).to.equal(35);
    expect(new Campaign(folder).runCount).to.equal(3);
  });

  it('a file that cannot be read ends the run, so that no campaign is forgotten', () => {
    writeFileSync(join(folder, 'campaign.json'), '{"runs": [');
    expect(() => new Campaign(folder)).to.throw(SyntaxError);
  });

  it('the slope of growing memory is its growth per hour', () => {
    expect(computeSlope([1, 2, 3, 4].map((hour) => [hour, 100 + 6 * hour]))).to.be.closeTo(6, 1e-9);
    expect(computeSlope([1, 2, 3, 4].map((hour) => [hour, 100]))).to.equal(0);
  });

  it('growth per hour is shown only from ten minutes of samples on', () => {
    const grow = (minutes: number[]) => renderGrowth(minutes.map((minute) => [minute * 60_000, minute]));
    expect(grow([0, 5, 9.9])).to.equal('-');
    expect(grow([0, 5, 10])).to.equal('60');
  });
});
