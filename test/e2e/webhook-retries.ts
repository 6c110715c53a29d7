import { expect } from 'chai';
import { Audience, delivered } from '../support/audience.js';
import { Deployment, type Service, type Tenant } from '../support/deployment.js';
import { samplesOf } from '../support/journal.js';
import { Load } from '../support/load.js';
import { eventually } from '../support/poll.js';
import { memoryOf, type TestProcess } from '../support/processes.js';
import { insertDueRetries, insertFarRetries } from '../support/scheduled-retries.js';
import { IS_SCALED } from '../support/stores.js';
import { StrictReceiver } from '../support/strict-receiver.js';

/** The circuit breaker's first pause with its jitter. */
const PAUSE_MS = 36_000;

const ENDPOINTS = 3;
/** Retries over the coming day. bench/retries.ts measures a million of them. */
const FAR = 100_000;
const DUE = { count: 300, fromMs: 8000, overMs: 6000 };
/** The clock finds due deliveries without a wake-up job within this time. */
const LATE_LIMIT_MS = 5000;
/**
 * Wake-up jobs in the queue: a few for each endpoint queue with a delivery that is due within the
 * minute.
 */
const JOB_LIMIT = 50;
const GROWTH_LIMIT_MB = 100;

interface Scene {
  deployment: Deployment;
  receiver: StrictReceiver;
  tenants: Tenant[];
}

function onDeployment(tenants: number, work: (scene: Scene) => Promise<void>): () => Promise<void> {
  return () =>
    Deployment.run({ webhooks: 1 }, async (deployment) => {
      await deployment.start();
      const receiver = await StrictReceiver.start();
      await work({ deployment, receiver, tenants: await deployment.tenants(tenants) }).finally(() =>
        receiver.stop(),
      );
    });
}

/** Creates invoices of these tenants. One endpoint of each tenant receives their events. */
async function newsFor({ deployment, receiver }: Scene, tenants: Tenant[], count: number): Promise<Audience> {
  const load = new Load({ origins: [deployment.web.origin], tenants });
  const audience = new Audience(deployment, receiver, load);
  for (const tenant of tenants) await audience.join(tenant);
  const calls = tenants.flatMap((tenant) => Array.from({ length: count }, () => load.note(tenant)));
  await Promise.all(calls.map((call) => load.insist(call)));
  return audience;
}

/**
 * All receivers are unreachable at the first attempts. Then the worker with the retries dies, and
 * the queue loses its jobs. If the failures opened the circuit breaker, its pause must end first.
 */
export const retriesSurvive = onDeployment(4, async (scene) => {
  const { deployment, receiver, tenants } = scene;
  await receiver.stop();
  const [crowd, ...others] = tenants as [Tenant, ...Tenant[]];
  const many = await newsFor(scene, [crowd], 20);
  const few = await newsFor(scene, others, 3);
  const failed = async (audience: Audience) =>
    (await audience.open()).filter(({ attempts }) => attempts > 0).length;
  await eventually('the breaker to open', async () => (await failed(many)) >= 5);
  await eventually('first attempts to fail', async () => (await failed(few)) === 3 * others.length);
  const [worker] = deployment.webhooks as [Service];
  await worker.kill();
  if (IS_SCALED) await deployment.flushRedis();
  await receiver.back();
  await worker.start();
  const healedAt = Date.now();
  await few.expectAllDelivered(healedAt);
  await many.expectAllDelivered(healedAt + PAUSE_MS);
});

/**
 * A hundred thousand retries wait. Due retries are sent in time, new events are delivered
 * immediately, and neither jobs nor memory grow with the waiting retries.
 */
export const retriesWait = onDeployment(1, async (scene) => {
  const { deployment, receiver, tenants } = scene;
  const load = new Load({ origins: [deployment.web.origin], tenants, clients: 2, thinkMs: 50 });
  const audience = new Audience(deployment, receiver, load);
  for (let nth = 0; nth < ENDPOINTS; nth += 1) await audience.join(tenants[0] as Tenant);
  const lanes = { tenantId: tenants[0]?.id ?? '', endpointIds: audience.listeners.map(({ id }) => id) };
  const db = await deployment.db();
  await insertFarRetries(db, lanes, FAR);
  const sender = deployment.webhooks[0] as Service;
  const { now: before } = await memoryOf(sender.process as TestProcess);
  await insertDueRetries(db, lanes, DUE);
  load.start();
  await pause(DUE.fromMs + DUE.overMs).finally(() => load.stop());
  for (const { endpoint } of audience.listeners) {
    const expected = load.calls.length + DUE.count / ENDPOINTS;
    await endpoint.waitFor(expected, LATE_LIMIT_MS);
    expect(endpoint.ids).to.have.length(expected);
    const late = endpoint.requests.map(({ at, event }) => at - Date.parse(event.timestamp));
    expect(Math.min(...late), 'ms from the time of a delivery to its receipt').to.be.at.least(0);
    expect(Math.max(...late)).to.be.below(LATE_LIMIT_MS);
    delivered.worstRetryMs = Math.max(delivered.worstRetryMs, ...late);
  }
  await expectNothingGrown(sender, before);
  expect(receiver.faults).to.deep.equal([]);
});

async function expectNothingGrown({ origin, process }: Service, before: number): Promise<void> {
  const samples = await samplesOf(origin);
  for (const state of ['waiting', 'delayed', 'active', 'failed'])
    expect(samples.get(`tow_queue_jobs{queue="webhooks",state="${state}"}`), state).to.be.at.most(JOB_LIMIT);
  const { peak } = await memoryOf(process as TestProcess);
  expect(peak - before, 'MB that the sender grew by').to.be.below(GROWTH_LIMIT_MB);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
