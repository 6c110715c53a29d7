/**
 * Faults while webhooks are delivered (anchors/webhooks.md 7): processes and stores are killed under load, and then every acknowledged event has
 * reached every endpoint, with what was in flight at a death at worst twice, under its one id.
 */
import { expect } from 'chai';
import { Audience, delivered } from '../support/audience.js';
import {
  Deployment,
  type DeploymentOptions,
  type Service,
  type Tenant,
  totals,
} from '../support/deployment.js';
import { Load } from '../support/load.js';
import { sideBySide } from '../support/side-by-side.js';
import { IS_SCALED } from '../support/stores.js';
import { StrictReceiver } from '../support/strict-receiver.js';
import { runHostile } from './webhook-hostile.js';
import { retriesSurvive, retriesWait } from './webhook-retries.js';

const TENANTS = 3;
/** Slow enough that the deliveries keep up with it. */
const PACE = { clients: 6, thinkMs: 40 };
/** Calls between two faults. */
const STEP = 120;
/** Of a receiver: something is in flight at any moment. */
const ANSWER_MS = 100;
/** What a deployment looks like around a death, though there a million deliveries lie between two: many receivers, which answer at once, and a worker that is not at its limit. */
const CROWD = { listeners: 8, deliveries: 24_000, pace: { clients: 4, thinkMs: 50 }, answerMs: 5 };
/** Of the deliveries; issue 4. */
const MOST_REPEATED = 0.001;

interface Scene {
  deployment: Deployment;
  load: Load;
  audience: Audience;
  tenants: Tenant[];
  /** Of the receivers. */
  answerMs: number;
}

interface Manner {
  pace?: typeof PACE;
  /** Of the receivers. */
  answerMs?: number;
}

/** A scenario: load, fault, more load, and everything has arrived. */
function underLoad(
  fault: (scene: Scene) => Promise<void>,
  { pace = PACE, answerMs = ANSWER_MS, ...options }: DeploymentOptions & Manner = {},
): () => Promise<void> {
  return () =>
    Deployment.run({ webhooks: 2, ...options }, async (deployment) => {
      await deployment.start();
      const receiver = await StrictReceiver.start();
      const tenants = await deployment.tenants(TENANTS);
      const load = new Load({ origins: deployment.webs.map(({ origin }) => origin), tenants, ...pace });
      const audience = new Audience(deployment, receiver, load);
      const scene = { deployment, load, tenants, audience, answerMs };
      try {
        await newListeners(scene);
        await newListeners(scene);
        load.start();
        await load.progresses(STEP);
        await fault(scene);
        const healedAt = Date.now();
        await load.progresses(STEP);
        await audience.expectAllDelivered(healedAt);
      } finally {
        await load.stop(0);
        await receiver.stop();
      }
    });
}

/** One more endpoint of each tenant: nobody holds its lane yet, so something is in flight to it at once, whatever the dead have left behind. */
async function newListeners({ audience, tenants, answerMs }: Scene): Promise<void> {
  for (const tenant of tenants) await audience.join(tenant, () => ({ delayMs: answerMs }));
}

/** kill -9 of a worker that has requests under way, of each in turn. */
async function killWorkers(scene: Scene): Promise<void> {
  const { deployment, load, audience } = scene;
  for (let nth = 0; nth < 2; nth += 1) {
    const victim = deployment.webhooks[nth % deployment.webhooks.length] as Service;
    await victim.kill();
    await audience.noteDeath();
    await victim.start();
    await newListeners(scene);
    await load.progresses(STEP);
  }
}

/** kill -9 amid thousands of deliveries: hardly any of them comes twice. */
async function killOnce(scene: Scene): Promise<void> {
  const { deployment, audience } = scene;
  for (let nth = 2; nth < CROWD.listeners; nth += 1) await newListeners(scene);
  const [victim] = deployment.webhooks as [Service];
  await audience.hears(CROWD.deliveries / 2);
  await victim.kill();
  await audience.noteDeath();
  await victim.start();
  await audience.hears(CROWD.deliveries / 2);
  // The share is taken at the end, when everything has come.
  audience.mostRepeated = MOST_REPEATED;
}

/** A worker dies with an answer that it has not recorded, and for a while there is none at all. */
async function dieBeforeRecording(scene: Scene): Promise<void> {
  const { deployment, audience } = scene;
  const [victim, ...others] = deployment.webhooks as [Service, ...Service[]];
  await Promise.all([victim, ...others].map((service) => service.kill()));
  await audience.noteDeath();
  await newListeners(scene);
  const dying = victim.launch({ FAILPOINTS: 'after_sent' });
  expect(await dying.hasEnded()).to.deep.equal({ code: null, signal: 'SIGKILL' });
  totals.kills += 1;
  await audience.noteDeath();
  await Promise.all([victim, ...others].map((service) => service.start()));
}

/** A worker stands still for longer than its leases, another one takes its place, and then it comes back with answers of long ago. */
async function freeze({ deployment, audience }: Scene): Promise<void> {
  const [victim] = deployment.webhooks as [Service, Service];
  victim.process?.signal('SIGSTOP');
  await audience.noteDeath({ comesBack: true });
  await audience.catchesUp();
  victim.process?.signal('SIGCONT');
}

type Scenarios = Record<string, () => Promise<void>>;

const patient: Scenarios = {
  'loses nothing when workers are killed, and when one dies between sending and recording': underLoad(
    async (scene) => {
      await killWorkers(scene);
      await dieBeforeRecording(scene);
    },
  ),
  'sends hardly anything twice when a worker is killed amid thousands of deliveries': underLoad(
    killOnce,
    CROWD,
  ),
  'makes its retries though their worker and the queue die, and finds a receiver that is back':
    retriesSurvive,
};

const withRedis: Scenarios = {
  'believes no worker that comes back after its lanes were given to another': underLoad(freeze, {
    settings: { WEBHOOK_TIMEOUT_MS: '2000' },
  }),
  'loses and repeats nothing when Redis forgets everything, or is killed': underLoad(
    async ({ deployment, load }) => {
      for (let nth = 0; nth < 2; nth += 1) {
        await deployment.flushRedis();
        await load.progresses(STEP);
      }
      await deployment.replaceRedis();
    },
  ),
};

const quick: Scenarios = {
  'loses and repeats nothing when PostgreSQL is killed, twice': underLoad(async ({ deployment, load }) => {
    for (let nth = 0; nth < 2; nth += 1) {
      await deployment.killPostgres();
      await load.progresses(STEP);
    }
  }),
  'lets a hundred thousand retries wait without a job or memory, and makes each when it is due': retriesWait,
  'lets no receiver that hangs, drips, resets, never ends or sends elsewhere harm another': runHostile,
};

describe('faults while webhooks are delivered', () => {
  const scenarios = { ...patient, ...(IS_SCALED ? withRedis : {}), ...quick };
  sideBySide(scenarios, { atOnce: 4, timeoutMs: 180_000 });

  after(() => {
    const { requests, repeated, repeatable, slowestRecoveryMs, worstRetryMs, worstShare } = delivered;
    process.stdout.write(
      `      ${requests} deliveries under faults, ${repeated} came twice of ${repeatable} in flight at ${totals.kills} kills, ${(worstShare * 100).toFixed(3)} % with one kill amid thousands, slowest recovery ${slowestRecoveryMs} ms, worst retry ${worstRetryMs} ms late\n`,
    );
  });
});
