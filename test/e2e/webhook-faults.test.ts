/**
 * Faults while webhooks are delivered (anchors/webhooks.md 7): processes and stores are killed under load, and then every acknowledged event has
 * reached every endpoint, with what was in flight at a death at worst twice, under its one id.
 */
import { expect } from 'chai';
import { delivered } from '../support/audience.js';
import { type Service, totals } from '../support/deployment.js';
import { sideBySide } from '../support/side-by-side.js';
import { IS_SCALED } from '../support/stores.js';
import { runHostile } from './webhook-hostile.js';
import { retriesSurvive, retriesWait } from './webhook-retries.js';
import { newListeners, type Scene, STEP, underLoad } from './webhook-scene.js';

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
    const { requests, repeated, repeatable, slowestRecoveryMs, worstRetryMs } = delivered;
    process.stdout.write(
      `      ${requests} deliveries under faults, ${repeated} came twice of ${repeatable} in flight at ${totals.kills} kills, slowest recovery ${slowestRecoveryMs} ms, worst retry ${worstRetryMs} ms late\n`,
    );
  });
});
