import { expect } from 'chai';
import type { DeployedService } from '../../support/load/deployed-service.js';
import { type DeployedTenant, Deployment } from '../../support/load/deployment.js';
import { Load } from '../../support/load/load.js';
import { fetchMetrics } from '../../support/load/load-invariants.js';
import { readMemoryMb, type TestProcess } from '../../support/load/processes.js';
import { eventually } from '../../support/poll.js';
import { IS_SCALED } from '../../support/stores.js';
import { insertDueRetries, insertFarRetries } from '../../support/webhooks/scheduled-retries.js';
import { StrictReceiver } from '../../support/webhooks/strict-receiver.js';
import { deliveryTotals, WebhookListeners } from '../../support/webhooks/webhook-listeners.js';

const ENDPOINTS = 3;
/** Number of retries that are due during the coming day. bench/retries.ts measures a million. */
const FAR_RETRIES = 100_000;
const DUE_RETRIES = { count: 300, fromMs: 8000, overMs: 6000 };
/**
 * The longest wait for due deliveries. The clock finds those without a wake-up job within five
 * seconds; the run prints how late the worst one was.
 */
const DUE_LIMIT_MS = 60_000;
/**
 * The highest allowed number of jobs in the queue. Each endpoint queue has a few wake-up jobs if
 * one of its deliveries is due within a minute.
 */
const MAX_JOBS = 50;
const GROWTH_LIMIT_MB = 100;

interface RetryScenario {
  deployment: Deployment;
  receiver: StrictReceiver;
  tenants: DeployedTenant[];
}

function runOnDeployment(
  tenants: number,
  work: (scene: RetryScenario) => Promise<void>,
): () => Promise<void> {
  return () =>
    Deployment.run({ webhooks: 1 }, async (deployment) => {
      await deployment.start();
      const receiver = await StrictReceiver.start();
      await work({ deployment, receiver, tenants: await deployment.createTenants(tenants) }).finally(() =>
        receiver.stop(),
      );
    });
}

/**
 * Adds one endpoint to each tenant. Then creates `count` invoices per tenant, whose events go to
 * these endpoints.
 */
async function createInvoicesAndEndpoints(
  { deployment, receiver }: RetryScenario,
  tenants: DeployedTenant[],
  count: number,
): Promise<WebhookListeners> {
  const load = new Load({ origins: [deployment.web.origin], tenants });
  const listeners = new WebhookListeners(deployment, receiver, load);
  for (const tenant of tenants) await listeners.addEndpoint(tenant);
  const calls = tenants.flatMap((tenant) => Array.from({ length: count }, () => load.addCall(tenant)));
  await Promise.all(calls.map((call) => load.sendUntilDone(call)));
  return listeners;
}

/**
 * A scenario in which the first attempts fail because the receiver is unreachable. Then the worker
 * dies, and in a scaled-out deployment Redis loses its jobs. The retries must still arrive. For an
 * endpoint whose circuit breaker opened, they may arrive only after the breaker's pause.
 */
export const runRetriesAfterDeath = runOnDeployment(4, async (scene) => {
  const { deployment, receiver, tenants } = scene;
  await receiver.stop();
  const [crowd, ...others] = tenants as [DeployedTenant, ...DeployedTenant[]];
  const many = await createInvoicesAndEndpoints(scene, [crowd], 20);
  const few = await createInvoicesAndEndpoints(scene, others, 3);
  const countFailed = async (listeners: WebhookListeners) =>
    (await listeners.findOpenDeliveries()).filter(({ attempts }) => attempts > 0).length;
  await eventually('the breaker to open', async () => (await countFailed(many)) >= 5);
  await eventually('first attempts to fail', async () => (await countFailed(few)) === 3 * others.length);
  const [worker] = deployment.webhooks as [DeployedService];
  await worker.kill();
  if (IS_SCALED) await deployment.flushRedis();
  await receiver.listenAgain();
  await worker.start();
  const healedAt = Date.now();
  await few.expectAllDelivered(healedAt);
  await many.expectAllDelivered(healedAt);
});

/**
 * A scenario with a hundred thousand waiting retries. All due retries and new events must arrive.
 * Neither jobs nor memory may grow with the number of waiting retries.
 */
export const runManyWaitingRetries = runOnDeployment(1, async (scene) => {
  const { deployment, receiver, tenants } = scene;
  const load = new Load({ origins: [deployment.web.origin], tenants, clients: 2, thinkMs: 50 });
  const listeners = new WebhookListeners(deployment, receiver, load);
  for (let nth = 0; nth < ENDPOINTS; nth += 1) await listeners.addEndpoint(tenants[0] as DeployedTenant);
  const endpoints = { tenantId: tenants[0]?.id ?? '', endpointIds: listeners.listeners.map(({ id }) => id) };
  const db = await deployment.db();
  await insertFarRetries(db, endpoints, FAR_RETRIES);
  const sender = deployment.webhooks[0] as DeployedService;
  const { now: before } = await readMemoryMb(sender.process as TestProcess);
  await insertDueRetries(db, endpoints, DUE_RETRIES);
  load.start();
  await pause(DUE_RETRIES.fromMs + DUE_RETRIES.overMs).finally(() => load.stop());
  for (const { endpoint } of listeners.listeners) {
    const expected = load.calls.length + DUE_RETRIES.count / ENDPOINTS;
    await endpoint.waitFor(expected, DUE_LIMIT_MS);
    expect(endpoint.ids).to.have.length(expected);
    const late = endpoint.requests.map(({ at, event }) => at - Date.parse(event.timestamp));
    expect(Math.min(...late), 'ms from the time of a delivery to its receipt').to.be.at.least(0);
    deliveryTotals.worstRetryMs = Math.max(deliveryTotals.worstRetryMs, ...late);
  }
  await expectNothingGrown(sender, before);
  expect(receiver.problems).to.deep.equal([]);
});

async function expectNothingGrown({ origin, process }: DeployedService, before: number): Promise<void> {
  const samples = await fetchMetrics(origin);
  for (const state of ['waiting', 'delayed', 'active', 'failed'])
    expect(samples.get(`tow_queue_jobs{queue="webhooks",state="${state}"}`), state).to.be.at.most(MAX_JOBS);
  const { peak } = await readMemoryMb(process as TestProcess);
  expect(peak - before, 'MB that the sender grew by').to.be.below(GROWTH_LIMIT_MB);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
