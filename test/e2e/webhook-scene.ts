/** What the scenarios of webhooks under load share: a deployment, clients that write invoices, and endpoints that hear of them. */
import { Audience } from '../support/audience.js';
import { Deployment, type DeploymentOptions, type Tenant } from '../support/deployment.js';
import { Load } from '../support/load.js';
import { StrictReceiver } from '../support/strict-receiver.js';

const TENANTS = 3;
/** Slow enough that the deliveries keep up with it. */
const PACE = { clients: 6, thinkMs: 40 };
/** Calls between two faults. */
export const STEP = 120;
/** Of a receiver: something is in flight at any moment. */
const ANSWER_MS = 100;
export interface Scene {
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
export function underLoad(
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
export async function newListeners({ audience, tenants, answerMs }: Scene): Promise<void> {
  for (const tenant of tenants) await audience.join(tenant, () => ({ delayMs: answerMs }));
}
