import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Deployment } from '../support/load/deployment.js';
import { SeparateMachine } from '../support/network/separate-machine.js';
import { TcpForwarder } from '../support/network/tcp-forwarder.js';
import { SeededRandom } from '../support/random/seeded-random.js';
import type { QuickBooksDouble } from '../support/vendors/doubles/quickbooks/quickbooks-double.js';
import { BooksLoad } from './books.js';
import { Clocks } from './clocks.js';
import { drawFaults, type Fault } from './faults.js';
import { NO_FIGURES, type RunRecord } from './figures.js';
import { Round } from './round.js';
import { Samples } from './samples.js';
import { Site } from './site.js';
import { type SlowDisk, SmallDisk, SoakStores } from './stores.js';

const LAST_FAULTS = 20;
const SETTINGS = { WRITE_TIMEOUT_MS: '3000' };
const PROCESSES = { webs: 2, mcps: 2, writers: 2, webhooks: 2, exporters: 2, integrators: 2 };

export interface SoakOptions {
  seed: number;
  /** How long faults are made. The last checks come after it. */
  durationMs: number;
  /** The time of load and faults between two checkpoints. */
  roundMs: number;
  /** The time without a fault after each fault, drawn between these bounds. */
  calmMs: [min: number, max: number];
  /** The number of acknowledged calls after each fault that proves that work continues. */
  callsAfterFault: number;
  processes?: typeof PROCESSES;
  /** The faults to draw from. Default: all. */
  faults?: readonly Fault[];
  sparesWitnesses?: boolean;
  /** True for a Redis with a replica behind sentinels, whose death is a failover. */
  withSentinels?: boolean;
  /** True for a PostgreSQL with a synchronous standby, whose death is a failover. */
  withStandby?: boolean;
  /**
   * True to run the second process of web, mcp and writes on a separate machine, which faults cut
   * from the stores. Needs root and no sentinels.
   */
  withMachine?: boolean;
  /** The path of libfaketime, if faults are to set the clocks of processes. */
  fakeTime?: string;
  /** The disk of the folder for temporary files, if faults are to slow it down. */
  slowDisk?: SlowDisk;
  /** The number of REST clients. */
  clients: number;
  /** Ends the run early and cleanly: with all checks. */
  signal: AbortSignal;
  print: (line: string) => void;
  /** Called after each checkpoint. */
  save: (run: RunRecord) => void;
  /** Called before the checks of each round. Tests break something here, to see the checks fail. */
  beforeCheck?: (deployment: Deployment, round: Round) => Promise<void>;
}

export interface SoakResult {
  run: RunRecord;
  /** The last faults before the end, oldest first. */
  lastFaults: string[];
  memory: string;
}

/** Runs load and faults for the given time, and checks everything at each checkpoint. */
export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const startedAt = Date.now();
  const run: RunRecord = {
    seed: options.seed,
    startedAt: new Date(startedAt).toISOString(),
    figures: { ...NO_FIGURES },
    faults: {},
    failures: [],
  };
  const lastFaults: string[] = [];
  const samples = new Samples();
  // Sentinels name the master by an address of this machine.
  const machine =
    options.withMachine && !options.withSentinels && SeparateMachine.isPossible()
      ? SeparateMachine.create()
      : undefined;
  if (options.withMachine && !machine)
    options.print('skipped: the separate machine, which needs root, and a Redis without sentinels');
  options.print('starting the stores and the service');
  const stores = await SoakStores.start(options);
  const double = await BooksLoad.startDouble();
  // The address that all processes name in links, as that of a load balancer. It leads to a process
  // once there is one.
  const address = await TcpForwarder.start();
  const clocks = options.fakeTime ? new Clocks(options.fakeTime) : undefined;
  const deploymentOptions = {
    ...(options.processes ?? PROCESSES),
    databaseUrl: stores.databaseUrl,
    startRedis: async () => stores.redis,
    settings: {
      ...SETTINGS,
      ...BooksLoad.buildSettings(double),
      BASE_URL: `http://127.0.0.1:${address.port}`,
    },
  };
  try {
    await Deployment.run(deploymentOptions, async (deployment) => {
      const folder = join(deployment.dataDir, 'exports');
      await mkdir(folder, { recursive: true });
      const disk = SmallDisk.mount(folder, 64);
      if (!disk) options.print('skipped: the full disks, because this user may not mount');
      for (const { env, port } of clocks ? deployment.services : [])
        Object.assign(env, clocks?.buildSettings(port));
      for (const services of machine ? [deployment.webs, deployment.mcps, deployment.writers] : [])
        for (const service of services.slice(1)) await machine?.place(service);
      await deployment.start();
      address.leadTo(deployment.web.port);
      samples.start(deployment);
      const random = new SeededRandom(`${options.seed}`);
      const spares = options.sparesWitnesses ?? false;
      const site = new Site(deployment, stores, disk, random, run.figures, spares, clocks, machine);
      await runRounds(options, { site, run, lastFaults, startedAt, double }).finally(() => {
        samples.stop();
        disk?.unmount();
      });
    });
  } catch (error) {
    run.failures.push(error instanceof Error ? error.message : String(error));
  } finally {
    run.figures.seconds = (Date.now() - startedAt) / 1000;
    options.save(run);
    await double.stop();
    await address.stop();
    await stores.stop();
    await machine?.remove();
    clocks?.stop();
  }
  return { run, lastFaults, memory: samples.render() };
}

interface Progress {
  site: Site;
  run: RunRecord;
  lastFaults: string[];
  startedAt: number;
  double: QuickBooksDouble;
}

async function runRounds(options: SoakOptions, progress: Progress): Promise<void> {
  const { site, run, startedAt, double } = progress;
  const books = await BooksLoad.connect(site.deployment, double);
  const endsAt = Date.now() + options.durationMs;
  while (Date.now() < endsAt && !options.signal.aborted && run.failures.length === 0) {
    const round = await Round.begin(site, books, options.clients);
    try {
      await makeFaults(options, progress, round, Math.min(endsAt, Date.now() + options.roundMs));
      await options.beforeCheck?.(site.deployment, round);
      run.failures.push(...(await round.check()));
    } finally {
      await round.end();
    }
    run.figures.seconds = (Date.now() - startedAt) / 1000;
    options.save(run);
    const { writes, kills, lost, doubled } = run.figures;
    options.print(`checkpoint: ${writes} writes, ${kills} kills, ${lost} lost, ${doubled} doubled`);
  }
}

/** Makes faults until the time is over. After each one, the product must recover by itself. */
async function makeFaults(
  options: SoakOptions,
  { site, run, lastFaults, startedAt }: Progress,
  round: Round,
  until: number,
): Promise<void> {
  const { load } = round;
  await load.waitForCalls(options.callsAfterFault);
  round.startExports();
  // A round without a fault shows nothing, even if a slow machine has used up the round's time.
  do {
    const nth = Object.values(run.faults).reduce((sum, count) => sum + count, 1);
    site.random = new SeededRandom(`${options.seed} ${nth}`);
    const faults = drawFaults(site, options.faults);
    const name = faults.map((fault) => fault.name).join(' + ');
    const text = `${((Date.now() - startedAt) / 1000).toFixed(1)} s: ${name}`;
    options.print(text);
    lastFaults.push(text);
    if (lastFaults.length > LAST_FAULTS) lastFaults.shift();
    await Promise.all(
      faults.map(async (fault) => {
        const made = (await fault.make(site)) ?? fault.name;
        run.faults[made] = (run.faults[made] ?? 0) + 1;
      }),
    );
    await site.waitUntilReady();
    await load.waitForCalls(options.callsAfterFault);
    await sleep(site.random.between(...options.calmMs));
  } while (Date.now() < until && !options.signal.aborted);
}
