import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { PROJECT } from '../../support/load/processes.js';

/**
 * Prints the size of V8's young generation in MB, after the start and after more work.
 * @param start the code of a start; it may call allocate()
 */
const buildScript = (start: string) => `
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
  ${start}
  measure();
  allocate();
  measure();
`;

describe('the young generation of a process', () => {
  const measureStart = async (start: string) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', buildScript(start)],
      { cwd: PROJECT },
    );
    const [afterStart = 0, afterWork = 0] = stdout.trim().split('\n').map(Number);
    return { afterStart, afterWork };
  };

  it('stays smaller during the start than without help, and may grow afterwards', async () => {
    const helped = await measureStart('await startWithSmallYoungGeneration(async () => allocate());');
    const plain = await measureStart('allocate();');
    // On Node 20 and 22 it keeps the initial 4 MB. On Node 24, V8 enlarges it to 16 to 18 MB if a
    // full garbage collection runs during the start. Without help, it becomes 32 MB.
    const isOldV8 = Number(process.versions.v8.split('.')[0]) < 13;
    expect(helped.afterStart).to.be.at.most(isOldV8 ? 4 : plain.afterStart / 1.5);
    expect(helped.afterWork).to.be.at.least(8);
  });
});
