import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { PROJECT } from '../../support/load/processes.js';

/** Prints the size of V8's young generation in MB, after the start and after more work. */
const SCRIPT = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { startWithSmallYoungGeneration } from './shared/platform/process/young-generation.ts';
  const kept = [];
  const allocate = () => {
    for (let nth = 0; nth < 300_000; nth += 1) kept.push({ nth, text: 'x' + nth });
  };
  const measure = () => {
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    console.log(space.space_size / 2 ** 20);
  };
  await startWithSmallYoungGeneration(async () => allocate());
  measure();
  allocate();
  measure();
`;

describe('the young generation of a process', () => {
  it('stays small during the start, and may grow afterwards', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', SCRIPT],
      { cwd: PROJECT },
    );
    const [afterStart, afterWork] = stdout.trim().split('\n').map(Number);
    expect(afterStart).to.be.at.most(4);
    expect(afterWork).to.be.at.least(8);
  });
});
