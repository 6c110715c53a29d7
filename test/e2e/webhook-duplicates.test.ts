/**
 * Measures how many deliveries arrive twice when a worker dies: those that were in flight. Their
 * share depends on the number of deliveries between two deaths and on the load of the machine. This
 * test runs alone, because other tests on the machine would distort the share.
 */
import { delivered } from '../support/audience.js';
import type { Service } from '../support/deployment.js';
import { newListeners, type Scene, underLoad } from './webhook-scene.js';

/**
 * Resembles a deployment around a death, except that a million deliveries separate two deaths
 * there. It has many receivers that respond immediately, and a worker below its limit.
 */
const CROWD = { listeners: 8, deliveries: 24_000, pace: { clients: 6, thinkMs: 50 }, answerMs: 5 };
/** Highest allowed share of repeated deliveries (docs/known-limits.md). */
const MOST_REPEATED = 0.001;

async function killOnce(scene: Scene): Promise<void> {
  const { deployment, audience } = scene;
  for (let nth = 2; nth < CROWD.listeners; nth += 1) await newListeners(scene);
  const [victim] = deployment.webhooks as [Service];
  await audience.hears(CROWD.deliveries / 2);
  await victim.kill();
  await audience.noteDeath();
  await victim.start();
  await audience.hears(CROWD.deliveries / 2);
  // The share is computed at the end, when everything has arrived.
  audience.mostRepeated = MOST_REPEATED;
}

describe('webhooks when a worker is killed amid thousands of deliveries', () => {
  it(
    'at most 0.1 % of the deliveries arrive twice when a webhook worker is killed',
    underLoad(killOnce, CROWD),
  ).timeout(180_000);

  after(() => {
    const { requests, repeated } = delivered;
    process.stdout.write(`      ${repeated} of ${requests} deliveries arrived twice\n`);
  });
});
