/**
 * Runs load under random faults for some minutes, and checks that nothing is lost or doubled:
 * `npm run soak -- [--minutes <n>] [--seed <n>] [--state <folder>] [--spare-witnesses]
 * [--sentinels] [--standby] [--clocks] [--slow-disk] [--clients <n>]
 * [--only <pattern of the names of faults>]`.
 * The figures of all runs with the same folder are added up. Ctrl+C ends a run with its checks, a
 * second one without.
 */

import { tmpdir } from 'node:os';
import { useOwnFolder } from '../support/load/run-folder.js';
import { detachPrograms, findMissingProgram } from '../support/redis/programs.js';
import { IS_SCALED } from '../support/stores.js';
import { findFakeTime } from './clocks.js';
import { Campaign, renderFigures } from './figures.js';
import { type CommandOptions, readCommandOptions } from './options.js';
import { runSoak } from './soak.js';
import { SLOW_DISK_NEEDS, SlowDisk } from './stores.js';

/** One Ctrl+C may arrive twice: from the terminal and from npm. */
const SAME_SIGNAL_MS = 500;

const print = (line: string) => process.stdout.write(`${line}\n`);

function refuse(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(2);
}

function readArguments(): CommandOptions {
  try {
    return readCommandOptions(process.argv.slice(2));
  } catch (error) {
    return refuse((error as Error).message.replaceAll('\n', ' '));
  }
}

const { minutes, seed, state, ...chosen } = readArguments();
if (!IS_SCALED) refuse('Start it with: npm run soak');
const sentinelPrograms = chosen.withSentinels ? ['redis-sentinel', 'openssl'] : [];
const missing = findMissingProgram('redis-server', ...sentinelPrograms);
if (missing) refuse(missing);
const fakeTime = chosen.withClocks ? findFakeTime() : undefined;
if (chosen.withClocks && !fakeTime) refuse('--clocks needs libfaketime (apt-get install faketime)');

useOwnFolder('tow-soak-run-');
detachPrograms();
// The stores keep their files in this folder.
const slowDisk = chosen.withSlowDisk ? SlowDisk.mount(tmpdir(), print) : undefined;
if (chosen.withSlowDisk && !slowDisk) print(`skipped: the slow disk, ${SLOW_DISK_NEEDS}`);
const ending = new AbortController();
let endingSince = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (ending.signal.aborted && Date.now() - endingSince < SAME_SIGNAL_MS) return;
    if (ending.signal.aborted) {
      print('interrupted: ending everything without checks');
      // The exit handlers end the programs and unmount the disks.
      process.exit(130);
    }
    print('ending: after this fault, everything is checked; once more to end at once');
    endingSince = Date.now();
    ending.abort();
  });

const campaign = new Campaign(state);
print(`seed ${seed}, ${minutes} minutes`);
const { run, lastFaults, memory } = await runSoak({
  seed,
  durationMs: minutes * 60_000,
  roundMs: 120_000,
  calmMs: [500, 3000],
  callsAfterFault: 50,
  ...chosen,
  withMachine: true,
  ...(fakeTime ? { fakeTime } : {}),
  ...(slowDisk ? { slowDisk } : {}),
  signal: ending.signal,
  print,
  save: (record) => campaign.save(record),
});
print(`\nseed ${seed}\n\n${renderFigures(run, campaign)}\n\n${memory}`);
if (run.failures.length > 0) {
  print(`\nFAILED with seed ${seed}. The last faults:\n${lastFaults.join('\n')}\n`);
  for (const failure of run.failures) print(failure);
}
process.exit(run.failures.length > 0 ? 1 : 0);
