/**
 * Measures the share of deliveries that arrive twice because they were in flight when a worker
 * died. The share depends on the number of deliveries between two deaths and on the load of the
 * machine. Other tests would distort the share, so this test runs alone.
 */

import type { DeployedService } from '../../support/load/deployed-service.js';
import { deliveryTotals } from '../../support/webhooks/webhook-listeners.js';
import { addListeners, runUnderLoad, type WebhookScenario } from './webhook-scenario.js';

/**
 * A load like that of a real deployment: many receivers that respond immediately, and workers well
 * below their limit. In a real deployment, however, a worker sends a million deliveries between two
 * deaths.
 */
const MANY_RECEIVERS = { listeners: 8, deliveries: 24_000, pace: { clients: 3, thinkMs: 50 }, answerMs: 5 };
/** Highest allowed share of repeated deliveries (docs/known-limits.md). */
const MAX_REPEATED_SHARE = 0.001;

async function killOnce(scene: WebhookScenario): Promise<void> {
  const { deployment, listeners } = scene;
  for (let nth = 2; nth < MANY_RECEIVERS.listeners; nth += 1) await addListeners(scene);
  const [victim] = deployment.webhooks as [DeployedService];
  await listeners.waitForRequests(MANY_RECEIVERS.deliveries / 2);
  await victim.kill();
  await listeners.recordDeath();
  await victim.start();
  await listeners.waitForRequests(MANY_RECEIVERS.deliveries / 2);
  // `expectAllDelivered` compares the share with this limit in the end, when everything has
  // arrived.
  listeners.maxRepeatedShare = MAX_REPEATED_SHARE;
}

describe('webhooks when a worker is killed amid thousands of deliveries', () => {
  it(
    'at most 0.1 % of the deliveries arrive twice when a webhook worker is killed',
    runUnderLoad(killOnce, MANY_RECEIVERS),
  ).timeout(300_000);

  after(() => {
    const { requests, repeated } = deliveryTotals;
    process.stdout.write(`      ${repeated} of ${requests} deliveries arrived twice\n`);
  });
});
