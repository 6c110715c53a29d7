/**
 * How many deliveries come twice when a worker dies: those that were in flight. So their share depends on how much lies between two deaths and on how busy the machine is; this
 * runs alone, because others that fill the machine would be measured instead.
 */
import { delivered } from '../support/audience.js';
import type { Service } from '../support/deployment.js';
import { newListeners, type Scene, underLoad } from './webhook-scene.js';

/** What a deployment looks like around a death, though there a million deliveries lie between two: many receivers, which answer at once, and a worker that is not at its limit. */
const CROWD = { listeners: 8, deliveries: 24_000, pace: { clients: 6, thinkMs: 50 }, answerMs: 5 };
/** Of the deliveries; issue 4. */
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
  // The share is taken at the end, when everything has come.
  audience.mostRepeated = MOST_REPEATED;
}

describe('webhooks when a worker is killed amid thousands of deliveries', () => {
  it('come twice in hardly a case', underLoad(killOnce, CROWD)).timeout(180_000);

  after(() => {
    const { requests, repeated } = delivered;
    process.stdout.write(`      ${repeated} of ${requests} deliveries came twice\n`);
  });
});
