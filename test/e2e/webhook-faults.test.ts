/**
 * Fault injection while webhooks are delivered: the tests kill processes and stores under load.
 * Afterwards every acknowledged event has reached every endpoint. Requests in flight at a death
 * arrive at most twice, with the same id.
 */
import { expect } from 'chai';
import { delivered } from '../support/audience.js';
import { type Service, totals } from '../support/deployment.js';
import { sideBySide } from '../support/side-by-side.js';
import { IS_SCALED } from '../support/stores.js';
import { runHostile } from './webhook-hostile.js';
import { retriesSurvive, retriesWait } from './webhook-retries.js';
import { newListeners, type Scene, STEP, underLoad } from './webhook-scene.js';

/** Kills each worker with kill -9 while it has requests in flight, one after the other. */
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

/** A worker dies with a response that it has not recorded, and for a while no worker runs. */
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

/**
 * A worker is stopped for longer than its leases and another one takes over. Then the first one
 * continues with outdated responses.
 */
async function freeze({ deployment, audience }: Scene): Promise<void> {
  const [victim] = deployment.webhooks as [Service, Service];
  victim.process?.signal('SIGSTOP');
  await audience.noteDeath({ comesBack: true });
  await audience.catchesUp();
  victim.process?.signal('SIGCONT');
}

type Scenarios = Record<string, () => Promise<void>>;

const patient: Scenarios = {
  'no event is lost when webhook workers are killed, also between sending and recording': underLoad(
    async (scene) => {
      await killWorkers(scene);
      await dieBeforeRecording(scene);
    },
  ),
  'webhook retries survive the death of their worker and of the queue, and reach a receiver that is back':
    retriesSurvive,
};

const withRedis: Scenarios = {
  'a webhook worker that continues after it lost its leases changes nothing': underLoad(freeze, {
    settings: { WEBHOOK_TIMEOUT_MS: '2000' },
  }),
  'no event is lost or repeated when Redis loses its data or is killed': underLoad(
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
  'no event is lost or repeated when PostgreSQL is killed twice': underLoad(async ({ deployment, load }) => {
    for (let nth = 0; nth < 2; nth += 1) {
      await deployment.killPostgres();
      await load.progresses(STEP);
    }
  }),
  'a hundred thousand waiting retries take no jobs and no memory, and each is sent when it is due':
    retriesWait,
  'a receiver that hangs, drips, resets, never ends or redirects harms no other receiver': runHostile,
};

describe('webhooks under fault injection', () => {
  const scenarios = { ...patient, ...(IS_SCALED ? withRedis : {}), ...quick };
  sideBySide(scenarios, { atOnce: 4, timeoutMs: 180_000 });

  after(() => {
    const { requests, repeated, repeatable, slowestRecoveryMs, worstRetryMs } = delivered;
    process.stdout.write(
      `      ${requests} deliveries under faults, ${repeated} came twice of ${repeatable} in flight at ${totals.kills} kills, slowest recovery ${slowestRecoveryMs} ms, worst retry ${worstRetryMs} ms late\n`,
    );
  });
});
