/**
 * Shared by the webhook scenarios under load: a deployment, clients that create invoices, and
 * endpoints that receive the events.
 */
import { Audience } from '../support/audience.js';
import { Deployment, type DeploymentOptions, type Tenant } from '../support/deployment.js';
import { Load } from '../support/load.js';
import { StrictReceiver } from '../support/strict-receiver.js';

const TENANTS = 3;
/** Slow enough for the deliveries to keep up. */
const PACE = { clients: 6, thinkMs: 40 };
/** Calls between two faults. */
export const STEP = 120;
/** Response time of a receiver. It keeps some request in flight at any moment. */
const ANSWER_MS = 100;
export interface Scene {
  deployment: Deployment;
  load: Load;
  audience: Audience;
  tenants: Tenant[];
  /** Response time of the receivers. */
  answerMs: number;
}

interface Manner {
  pace?: typeof PACE;
  /** Response time of the receivers. */
  answerMs?: number;
}

/** Runs a scenario: load, fault, more load, and a check that everything has arrived. */
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

/**
 * Adds one endpoint to each tenant. No worker has its endpoint queue's lease yet, so its deliveries
 * start immediately even if dead workers still hold leases.
 */
export async function newListeners({ audience, tenants, answerMs }: Scene): Promise<void> {
  for (const tenant of tenants) await audience.join(tenant, () => ({ delayMs: answerMs }));
}
