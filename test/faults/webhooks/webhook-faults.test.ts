/**
 * Fault injection while webhooks are delivered: the tests kill processes and stores under load.
 * Afterwards every acknowledged event must have reached every endpoint. A request that was in
 * flight when a worker died may arrive twice, with the same id.
 */
import { expect } from 'chai';
import { LEASE_SECONDS } from '../../../shared/records/lease-queries.js';
import { registerConcurrentTests } from '../../support/concurrent-tests.js';
import { type DeployedService, runTotals } from '../../support/load/deployed-service.js';
import { suspendPostgres } from '../../support/load/processes.js';
import { IS_SCALED } from '../../support/stores.js';
import { deliveryTotals } from '../../support/webhooks/webhook-listeners.js';
import { runHostileReceivers } from './webhook-hostile.js';
import { runManyWaitingRetries, runRetriesAfterDeath } from './webhook-retries.js';
import {
  addListeners,
  CALLS_BETWEEN_FAULTS,
  runUnderLoad,
  type WebhookScenario,
} from './webhook-scenario.js';

/** Kills the workers one after the other with SIGKILL, each while it has requests in flight. */
async function killWorkers(scene: WebhookScenario): Promise<void> {
  const { deployment, load, listeners } = scene;
  for (let nth = 0; nth < 2; nth += 1) {
    const victim = deployment.webhooks[nth % deployment.webhooks.length] as DeployedService;
    await victim.kill();
    await listeners.recordDeath();
    await victim.start();
    await addListeners(scene);
    await load.waitForCalls(CALLS_BETWEEN_FAULTS);
  }
}

/**
 * Kills all workers. Then starts one worker that dies before it records a response. Finally starts
 * all workers again.
 */
async function dieBeforeRecording(scene: WebhookScenario): Promise<void> {
  const { deployment, listeners } = scene;
  const [victim, ...others] = deployment.webhooks as [DeployedService, ...DeployedService[]];
  await Promise.all([victim, ...others].map((service) => service.kill()));
  await listeners.recordDeath();
  await addListeners(scene);
  const dying = victim.launch({ FAILPOINTS: 'after_sent' });
  expect(await dying.waitForExit()).to.deep.equal({ code: null, signal: 'SIGKILL' });
  runTotals.kills += 1;
  await listeners.recordDeath();
  await Promise.all([victim, ...others].map((service) => service.start()));
}

/**
 * Pauses a worker for longer than its leases, so that another worker takes over. Then lets the
 * paused worker continue with its outdated responses.
 */
async function freeze({ deployment, listeners }: WebhookScenario): Promise<void> {
  const [victim] = deployment.webhooks as [DeployedService, DeployedService];
  victim.process?.signal('SIGSTOP');
  await listeners.recordDeath({ comesBack: true });
  await listeners.waitForBacklog();
  victim.process?.signal('SIGCONT');
}

type Scenarios = Record<string, () => Promise<void>>;

const slowScenarios: Scenarios = {
  'no event is lost when webhook workers are killed, also between sending and recording': runUnderLoad(
    async (scene) => {
      await killWorkers(scene);
      await dieBeforeRecording(scene);
    },
  ),
  'webhook retries survive the death of their worker and of the queue, and reach a receiver that is back':
    runRetriesAfterDeath,
};

const onlyScaledOut: Scenarios = {
  'a webhook worker that continues after it lost its leases changes nothing': runUnderLoad(freeze, {
    settings: { WEBHOOK_TIMEOUT_MS: '5000' },
  }),
  'no event is lost or repeated when PostgreSQL does not respond for longer than a lease': runUnderLoad(
    async ({ deployment }) => {
      await deployment.killPostgres();
      await suspendPostgres(deployment.dataDir, (LEASE_SECONDS + 2) * 1000);
    },
  ),
  'no event is lost or repeated when Redis loses its data or is killed': runUnderLoad(
    async ({ deployment, load }) => {
      for (let nth = 0; nth < 2; nth += 1) {
        await deployment.flushRedis();
        await load.waitForCalls(CALLS_BETWEEN_FAULTS);
      }
      await deployment.restartRedisEmpty();
    },
  ),
};

const fastScenarios: Scenarios = {
  'no event is lost or repeated when PostgreSQL is killed twice': runUnderLoad(
    async ({ deployment, load }) => {
      for (let nth = 0; nth < 2; nth += 1) {
        await deployment.killPostgres();
        await load.waitForCalls(CALLS_BETWEEN_FAULTS);
      }
    },
  ),
  'a hundred thousand waiting retries take no jobs and no memory, and each is sent when it is due':
    runManyWaitingRetries,
  'a receiver that hangs, drips, resets, never ends or redirects harms no other receiver':
    runHostileReceivers,
};

describe('webhooks under fault injection', () => {
  const scenarios = { ...slowScenarios, ...(IS_SCALED ? onlyScaledOut : {}), ...fastScenarios };
  registerConcurrentTests(scenarios, { maxConcurrent: 2, timeoutMs: 300_000 });

  after(() => {
    const { requests, repeated, repeatable, slowestRecoveryMs, worstRetryMs } = deliveryTotals;
    process.stdout.write(
      `      ${requests} deliveries under faults, ${repeated} came twice of ${repeatable} in flight at ${runTotals.kills} kills, slowest recovery ${slowestRecoveryMs} ms, worst retry ${worstRetryMs} ms late\n`,
    );
  });
});
