import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessKind } from '../support/load/list-kinds.js';
import type { TcpForwarder } from '../support/network/tcp-forwarder.js';
import type { Site } from './site.js';

/** Faults that act on different things may happen together. */
type Subject = 'processes' | 'postgres' | 'redis' | 'network' | 'clients' | 'storage' | 'disk';

export interface Fault {
  name: string;
  on: Subject;
  /** How often the fault happens, beside the others. */
  weight: number;
  /** Returns whether this run can make the fault. Default: always. */
  isPossible?: (site: Site) => boolean;
  /**
   * Makes the fault and heals it. Waits for nothing more. Resolves with the name under which the
   * fault counts, if it is not {@link name}.
   */
  make: (site: Site) => Promise<void> | Promise<string>;
}

/**
 * The longest suspension of a process that answers clients. A client waits for 15 s, and takes a
 * longer silence for a request that was left hanging.
 */
const MAX_SILENCE_MS = 8000;
/** Longer than a worker's lease, so that another worker takes the work of a suspended one. */
const MAX_SUSPENSION_MS = 20_000;
const MAX_STORE_SILENCE_MS = 5000;
/** The largest step of a clock. Larger ones are left to the tests that know what must follow. */
const MAX_CLOCK_STEP_S = 60;
const STRANGERS = 600;
/** How many writes a slow disk does in a second. A commit needs one or two of them. */
const MIN_WRITES_PER_SECOND = 5;
const MAX_WRITES_PER_SECOND = 60;
/** A worker that is ready and has no work at its failpoint for this time is killed. */
const FAILPOINT_MS = 8000;

/** The failpoints of each worker that the work of a run reaches. */
const FAILPOINTS: Partial<Record<ProcessKind, string[]>> = {
  writes: ['before_batch', 'before_commit', 'after_commit'],
  webhooks: ['after_sent'],
  exports: ['after_export_stored'],
  integrations: ['before_vendor_write', 'after_vendor_write', 'after_vendor_result'],
};

/** How often each kind of process is killed. A run has no `messages`. */
const KILLED = {
  web: 3,
  mcp: 2,
  writes: 3,
  webhooks: 3,
  exports: 1,
  integrations: 2,
  clock: 1,
} satisfies Partial<Record<ProcessKind, number>>;
const KILLED_KINDS = Object.keys(KILLED) as (keyof typeof KILLED)[];

/** Only a user who may mount can fill disks without harm. */
const hasDisk = ({ disk }: Site): boolean => disk !== undefined;
const hasWalDisk = ({ stores }: Site): boolean => stores.walDisk !== undefined;

const killsOfOne = KILLED_KINDS.map(
  (kind): Fault => ({
    name: `kill ${kind}`,
    on: 'processes',
    weight: KILLED[kind],
    async make(site) {
      const service = site.pick(kind);
      await site.kill([service]);
      await site.pause(0, 2000);
      service.launch();
    },
  }),
);

const suspensions = (['web', 'mcp', 'writes', 'webhooks', 'integrations'] as const).map(
  (kind): Fault => ({
    name: `suspend ${kind}`,
    on: 'processes',
    weight: 0.6,
    async make(site) {
      const { process: suspended } = site.pick(kind);
      suspended?.signal('SIGSTOP');
      await site.pause(1000, kind === 'web' || kind === 'mcp' ? MAX_SILENCE_MS : MAX_SUSPENSION_MS);
      suspended?.signal('SIGCONT');
    },
  }),
);

const failpoints = Object.entries(FAILPOINTS).flatMap(([kind, names]) =>
  names.map(
    (name): Fault => ({
      name: `${kind} dies at ${name}`,
      on: 'processes',
      weight: 0.5,
      async make(site) {
        const service = site.pick(kind as ProcessKind);
        const hasReached = await site.dieAt(name, service, FAILPOINT_MS);
        service.launch();
        return `${kind} ${hasReached ? 'dies at' : 'did not reach'} ${name}`;
      },
    }),
  ),
);

const otherFaultsOfProcesses: Fault[] = [
  {
    name: 'kill all processes',
    on: 'processes',
    weight: 0.5,
    async make(site) {
      const services = site.listMortals();
      await site.kill(services);
      for (const service of services) service.launch();
    },
  },
  {
    name: 'SIGTERM',
    on: 'processes',
    weight: 1,
    async make(site) {
      const service = site.pick(site.random.pick(KILLED_KINDS));
      site.expectRunning([service]);
      const { code, signal } = await service.stop('SIGTERM');
      if (code !== 0) throw new Error(`SIGTERM ended with ${code ?? signal}: ${service.process?.output}`);
      service.launch();
    },
  },
];

const clockSteps = (['ahead', 'back'] as const).map(
  (direction): Fault => ({
    name: `clock steps ${direction}`,
    on: 'processes',
    weight: 1,
    isPossible: ({ clocks }) => clocks !== undefined,
    async make(site) {
      const service = site.random.pick(site.deployment.services);
      const seconds = Math.ceil(site.random.between(1, MAX_CLOCK_STEP_S));
      site.clocks?.set(service, direction === 'ahead' ? seconds : -seconds);
      await site.pause(2000, MAX_SILENCE_MS);
      site.clocks?.setRight(service);
    },
  }),
);

const faultsOfStores: Fault[] = [
  {
    name: 'FLUSHALL',
    on: 'redis',
    weight: 4,
    async make({ stores, figures }) {
      await stores.redis.flush();
      figures.flushes += 1;
    },
  },
  {
    name: 'kill Redis',
    on: 'redis',
    weight: 2,
    async make({ stores, figures }) {
      if (await stores.redis.kill()) figures.failovers += 1;
      figures.kills += 1;
      figures.redisStarts += 1;
    },
  },
  {
    name: 'suspend Redis',
    on: 'redis',
    weight: 1,
    async make(site) {
      await site.stores.redis.suspend();
      await site.pause(500, MAX_STORE_SILENCE_MS);
      if (await site.stores.redis.resume()) site.figures.failovers += 1;
    },
  },
  {
    name: 'kill PostgreSQL',
    on: 'postgres',
    weight: 1,
    async make({ stores, figures }) {
      if (await stores.endPostgres('SIGKILL')) figures.failovers += 1;
      figures.kills += 1;
      figures.postgresStarts += 1;
    },
  },
  {
    name: 'stop PostgreSQL immediately',
    on: 'postgres',
    weight: 1,
    async make({ stores, figures }) {
      if (await stores.endPostgres('SIGQUIT')) figures.failovers += 1;
      figures.postgresStarts += 1;
    },
  },
  {
    name: 'disk of the WAL is full',
    on: 'postgres',
    weight: 0.7,
    isPossible: hasWalDisk,
    async make({ stores, figures }) {
      await stores.exhaustWal().finally(() => stores.walDisk?.free());
      figures.postgresStarts += 1;
    },
  },
  {
    name: 'terminate all connections of PostgreSQL',
    on: 'postgres',
    weight: 2,
    async make({ stores }) {
      await stores.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'tow' and pid <> pg_backend_pid()",
      );
    },
  },
];

const faultsOfNetwork = (['PostgreSQL', 'Redis'] as const).flatMap((store): Fault[] => {
  const findWay = ({ stores }: Site) => (store === 'Redis' ? stores.redis.way : stores.toPostgres);
  const onWay = (act: (forwarder: TcpForwarder, site: Site) => Promise<void>) => async (site: Site) => {
    const way = findWay(site);
    if (way) await act(way, site);
  };
  const isPossible = (site: Site) => findWay(site) !== undefined;
  return [
    {
      name: `black hole before ${store}`,
      on: 'network',
      weight: 1,
      isPossible,
      make: onWay(async (forwarder, site) => {
        forwarder.hold();
        await site.pause(500, MAX_STORE_SILENCE_MS);
        forwarder.release();
      }),
    },
    {
      name: `cut all connections to ${store}`,
      on: 'network',
      weight: 1,
      isPossible,
      make: onWay(async (forwarder) => forwarder.cut()),
    },
    {
      name: `delay before ${store}`,
      on: 'network',
      weight: 1,
      isPossible,
      make: onWay(async (forwarder, site) => {
        forwarder.delayMs = site.random.between(20, 300);
        await site.pause(1000, MAX_STORE_SILENCE_MS);
        forwarder.delayMs = 0;
      }),
    },
  ];
});

const otherFaults: Fault[] = [
  {
    name: 'a machine is cut from the stores',
    on: 'network',
    weight: 2,
    isPossible: ({ machine }) => machine !== undefined,
    async make(site) {
      site.machine?.cutStores();
      await site.pause(1000, MAX_SUSPENSION_MS);
      site.machine?.mendStores();
    },
  },
  {
    name: 'storm of connections',
    on: 'clients',
    weight: 1,
    async make(site) {
      const { port } = site.deployment.web;
      const strangers = Array.from({ length: STRANGERS }, () => sendHalfRequest(port));
      await sleep(3000);
      for (const stranger of strangers) stranger.destroy();
    },
  },
  {
    name: 'disk of the exports is full',
    on: 'storage',
    weight: 1,
    isPossible: hasDisk,
    async make({ disk }) {
      disk?.fill();
      await sleep(3000);
      disk?.free();
    },
  },
  {
    name: 'slow disk',
    on: 'disk',
    weight: 3,
    isPossible: ({ stores }) => stores.slowDisk !== undefined,
    async make({ stores, random }) {
      const writesPerSecond = Math.round(random.between(MIN_WRITES_PER_SECOND, MAX_WRITES_PER_SECOND));
      await stores.slowDisk?.slowDown(writesPerSecond, random.between(2000, MAX_SILENCE_MS));
    },
  },
];

/** Opens a connection that sends a part of a request, and then nothing. */
function sendHalfRequest(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('POST /v1/invoices HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-');
  return socket;
}

/** All faults that a run makes. */
export const FAULTS: readonly Fault[] = [
  ...killsOfOne,
  ...suspensions,
  ...failpoints,
  ...otherFaultsOfProcesses,
  ...clockSteps,
  ...faultsOfStores,
  ...faultsOfNetwork,
  ...otherFaults,
];

/** Every sixth time, two faults of different subjects happen together. */
const SHARE_OF_PAIRS = 1 / 6;

/** Chooses one fault, or two that happen together. */
export function drawFaults(site: Site, faults = FAULTS): Fault[] {
  const { random } = site;
  const possible = faults.filter(({ isPossible }) => isPossible?.(site) ?? true);
  const first = random.pickWeighted(possible);
  if (!random.chance(SHARE_OF_PAIRS)) return [first];
  const others = possible.filter(({ on }) => on !== first.on);
  return others.length > 0 ? [first, random.pickWeighted(others)] : [first];
}
