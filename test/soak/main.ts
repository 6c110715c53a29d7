/**
 * Runs load under random faults for some minutes, and checks that nothing is lost or doubled:
 * `npm run soak -- [--minutes <n>] [--seed <n>] [--state <folder>] [--spare-witnesses]
 * [--sentinels] [--only <pattern of the names of faults>]`.
 * The figures of all runs with the same folder are added up. Ctrl+C ends a run with its checks.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { detachPrograms, findMissingProgram } from '../support/redis/programs.js';
import { IS_SCALED } from '../support/stores.js';
import { FAULTS } from './faults.js';
import { Campaign, renderFigures } from './figures.js';
import { runSoak } from './soak.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: `${randomInt(1_000_000_000)}` },
    state: { type: 'string', default: '.data/soak' },
    'spare-witnesses': { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    sentinels: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
const print = (line: string) => process.stdout.write(`${line}\n`);

if (!(minutes > 0) || !Number.isSafeInteger(seed)) refuse('--minutes and --seed are numbers');
const faults = FAULTS.filter(({ name }) => new RegExp(values.only).test(name));
if (faults.length === 0) refuse(`no fault has a name like ${values.only}`);
if (!IS_SCALED) refuse('Start it with: npm run soak');
const missing = findMissingProgram('redis-server', ...(values.sentinels ? ['redis-sentinel'] : []));
if (missing) refuse(missing);

function refuse(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(2);
}

detachPrograms();
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (!ending.signal.aborted) print('ending: after this fault, everything is checked');
    ending.abort();
  });

const campaign = new Campaign(values.state);
print(`seed ${seed}, ${minutes} minutes`);
const { run, lastFaults, memory } = await runSoak({
  seed,
  durationMs: minutes * 60_000,
  roundMs: 120_000,
  calmMs: [500, 3000],
  callsAfterFault: 50,
  sparesWitnesses: values['spare-witnesses'],
  withSentinels: values.sentinels,
  faults,
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
