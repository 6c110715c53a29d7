import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { FAULTS, type Fault } from './faults.js';

export interface CommandOptions {
  minutes: number;
  seed: number;
  /** The folder of the campaign. */
  state: string;
  sparesWitnesses: boolean;
  withSentinels: boolean;
  withStandby: boolean;
  withClocks: boolean;
  withSlowDisk: boolean;
  /** The number of REST clients. */
  clients: number;
  faults: readonly Fault[];
}

/** @throws {Error} with one line that says which argument cannot be used */
export function readCommandOptions(args: string[]): CommandOptions {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: `${randomInt(1_000_000_000)}` },
      state: { type: 'string', default: '.data/soak' },
      'spare-witnesses': { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      sentinels: { type: 'boolean', default: false },
      standby: { type: 'boolean', default: false },
      clocks: { type: 'boolean', default: false },
      'slow-disk': { type: 'boolean', default: false },
      clients: { type: 'string', default: '12' },
    },
  });
  const minutes = Number(values.minutes);
  const seed = Number(values.seed);
  const clients = Number(values.clients);
  if (!(minutes > 0) || !Number.isSafeInteger(seed)) throw new Error('--minutes and --seed are numbers');
  if (!Number.isSafeInteger(clients) || clients < 1) throw new Error('--clients is a number from 1');
  const only = new RegExp(values.only);
  const faults = FAULTS.filter(({ name }) => only.test(name));
  if (faults.length === 0) throw new Error(`no fault has a name like ${values.only}`);
  return {
    minutes,
    seed,
    state: values.state,
    sparesWitnesses: values['spare-witnesses'],
    withSentinels: values.sentinels,
    withStandby: values.standby,
    withClocks: values.clocks,
    withSlowDisk: values['slow-disk'],
    clients,
    faults,
  };
}
