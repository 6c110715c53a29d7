/**
 * Runs webhook scenarios under load, with a deployment, clients that create invoices, and endpoints
 * that receive the events.
 */

import { type DeployedTenant, Deployment, type DeploymentOptions } from '../../support/load/deployment.js';
import { Load } from '../../support/load/load.js';
import { StrictReceiver } from '../../support/webhooks/strict-receiver.js';
import { WebhookListeners } from '../../support/webhooks/webhook-listeners.js';

const TENANTS = 3;
/** The pace of the load, which is slow enough that the deliveries keep up. */
const PACE = { clients: 6, thinkMs: 40 };
/** The number of calls between two faults. */
export const CALLS_BETWEEN_FAULTS = 120;
/** Response time of a receiver in ms, long enough that some request is in flight at any moment. */
const RESPONSE_MS = 100;
export interface WebhookScenario {
  deployment: Deployment;
  load: Load;
  listeners: WebhookListeners;
  tenants: DeployedTenant[];
  /** Response time of the receivers in ms. */
  answerMs: number;
}

interface ScenarioOptions {
  pace?: typeof PACE;
  /** Response time of the receivers in ms. */
  answerMs?: number;
}

/** Runs a scenario: load, fault, more load, and a check that everything has arrived. */
export function runUnderLoad(
  fault: (scene: WebhookScenario) => Promise<void>,
  { pace = PACE, answerMs = RESPONSE_MS, ...options }: DeploymentOptions & ScenarioOptions = {},
): () => Promise<void> {
  return () =>
    Deployment.run({ webhooks: 2, ...options }, async (deployment) => {
      await deployment.start();
      const receiver = await StrictReceiver.start();
      const tenants = await deployment.createTenants(TENANTS);
      const load = new Load({ origins: deployment.webs.map(({ origin }) => origin), tenants, ...pace });
      const listeners = new WebhookListeners(deployment, receiver, load);
      const scene = { deployment, load, tenants, listeners, answerMs };
      try {
        await addListeners(scene);
        await addListeners(scene);
        load.start();
        await load.waitForCalls(CALLS_BETWEEN_FAULTS);
        await fault(scene);
        const healedAt = Date.now();
        await load.waitForCalls(CALLS_BETWEEN_FAULTS);
        await listeners.expectAllDelivered(healedAt);
      } finally {
        await load.stop(0);
        await receiver.stop();
      }
    });
}

/**
 * Adds one new endpoint to each tenant. No worker has a lease on a new endpoint queue. So
 * deliveries to a new endpoint start immediately, even if dead workers still hold other leases.
 */
export async function addListeners({ listeners, tenants, answerMs }: WebhookScenario): Promise<void> {
  for (const tenant of tenants) await listeners.addEndpoint(tenant, () => ({ delayMs: answerMs }));
}
