import { expect } from 'chai';
import { type DeployedTenant, Deployment } from '../../support/load/deployment.js';
import { Load } from '../../support/load/load.js';
import { readMemoryMb, type TestProcess } from '../../support/load/processes.js';
import { eventually } from '../../support/poll.js';
import { type ReceiverBehavior, StrictReceiver } from '../../support/webhooks/strict-receiver.js';
import { type WebhookListener, WebhookListeners } from '../../support/webhooks/webhook-listeners.js';

/** The number of deliveries to the healthy endpoints while the hostile ones misbehave. */
const DELIVERIES = 1000;
/** Short, so that attempts to call hanging receivers time out during the test. */
const SETTINGS = { WEBHOOK_TIMEOUT_MS: '2000' };
const DELAY_LIMIT_MS = 5000;
/** A worker that kept one endless response until the timeout would grow by more than this. */
const GROWTH_LIMIT_MB = 150;
/** The busy endpoint's Retry-After. It is longer than the worker's own pause after a 429. */
const RETRY_AFTER_S = 7;

const FAILING: Record<string, { reply: (canary: string) => ReceiverBehavior; lastError: string }> = {
  hang: { reply: () => 'hang', lastError: 'timeout' },
  drip: { reply: () => 'drip', lastError: 'timeout' },
  'drip-head': { reply: () => 'drip-head', lastError: 'timeout' },
  reset: { reply: () => 'reset', lastError: 'reset' },
  redirect: { reply: (redirect) => ({ redirect }), lastError: 'http_302' },
  gone: { reply: () => ({ status: 410 }), lastError: 'http_410' },
};

interface HostileScenario {
  deployment: Deployment;
  load: Load;
  /** Endpoints that every event must reach. */
  listeners: WebhookListeners;
  /** Endpoints whose deliveries fail, always or at first. */
  hostile: WebhookListeners;
  canary: StrictReceiver;
  /** The tenant with the hostile endpoints. It also has healthy endpoints. */
  attacked: DeployedTenant;
  healthy: WebhookListener[];
}

/**
 * Runs receivers that are broken or malicious, beside healthy ones of the same tenant and of
 * another tenant.
 */
export function runHostileReceivers(): Promise<void> {
  return Deployment.run({ webhooks: 1, settings: SETTINGS }, async (deployment) => {
    await deployment.start();
    const [attacked, other] = (await deployment.createTenants(2)) as [DeployedTenant, DeployedTenant];
    const tenants = [attacked, other, other, other];
    const load = new Load({ origins: [deployment.web.origin], tenants, clients: 8, thinkMs: 20 });
    const [receiver, canary] = [await StrictReceiver.start(), await StrictReceiver.start()];
    const listeners = new WebhookListeners(deployment, receiver, load);
    const hostile = new WebhookListeners(deployment, receiver, load);
    const healthy = [await listeners.addEndpoint(attacked), await listeners.addEndpoint(other)];
    try {
      await runAttack({ deployment, load, listeners, hostile, canary, attacked, healthy });
    } finally {
      await load.stop(0);
      await Promise.all([receiver.stop(), canary.stop()]);
    }
  });
}

async function runAttack(scene: HostileScenario): Promise<void> {
  const { deployment, load, listeners, hostile, canary, attacked } = scene;
  const sender = deployment.webhooks[0]?.process as TestProcess;
  load.start();
  // Wait until the process has allocated the memory that it needs for ordinary deliveries.
  await load.waitForCalls(DELIVERIES / 5);
  const { now: before } = await readMemoryMb(sender);
  const failing = new Map<string, WebhookListener>();
  for (const [name, { reply }] of Object.entries(FAILING))
    failing.set(name, await hostile.addEndpoint(attacked, () => reply(`${canary.origin}/e/0`)));
  // These two endpoints count as successful, because the worker needs only the beginning of a
  // response.
  await listeners.addEndpoint(attacked, () => 'endless');
  await listeners.addEndpoint(attacked, () => 'gzip-bomb');
  // Count requests in a separate variable, because one may arrive before `busy` is assigned.
  let requestCount = 0;
  const busy = await hostile.addEndpoint(attacked, (): ReceiverBehavior => {
    requestCount += 1;
    return requestCount > 2 ? {} : TOO_MANY;
  });
  const joinedAt = new Date().toISOString();
  await load.waitForCalls(DELIVERIES);
  await listeners.expectAllDelivered(Date.now());
  const { peak } = await readMemoryMb(sender);
  expectUnharmed(scene);
  expect(peak - before, 'MB that the sender grew by').to.be.below(GROWTH_LIMIT_MB);
  expect(canary.connections, 'requests that followed a redirect').to.equal(0);
  // The endpoint `gone` gets no new request after its first response. One more request may have
  // been in flight at that time.
  expect(failing.get('gone')?.endpoint.requests.length).to.be.within(1, 2);
  await expectFailed(scene, failing);
  await expectRetryAfterKept(scene, { ...busy, joinedAt });
}

const TOO_MANY: ReceiverBehavior = { status: 429, headers: { 'retry-after': `${RETRY_AFTER_S}` } };

function expectUnharmed({ healthy }: HostileScenario): void {
  const delays = healthy.flatMap(({ endpoint }) =>
    endpoint.requests.map(({ at, event }) => at - Date.parse(event.timestamp)),
  );
  expect(delays.length).to.be.at.least(DELIVERIES);
  expect(Math.max(...delays), 'ms from an event to its receipt').to.be.below(DELAY_LIMIT_MS);
}

async function expectFailed(
  { deployment, attacked }: HostileScenario,
  failing: Map<string, WebhookListener>,
): Promise<void> {
  const db = await deployment.db();
  for (const [name, { id }] of failing) {
    const rows = await db.transaction([attacked.id], (tx) =>
      tx.query({
        text: 'select distinct last_error from webhook_deliveries where endpoint_id = $1 and last_attempt_at is not null',
        values: [id],
      }),
    );
    expect(rows, name).to.deep.equal([{ last_error: FAILING[name]?.lastError }]);
  }
}

/**
 * Asserts that the worker paused for as long as the endpoint requested, and then delivered
 * everything.
 */
async function expectRetryAfterKept(
  { hostile, healthy }: HostileScenario,
  { endpoint, id, joinedAt }: WebhookListener & { joinedAt: string },
): Promise<void> {
  await eventually(
    'the deliveries that a busy receiver postponed',
    async () => !(await hostile.findOpenDeliveries()).some((one) => one.endpoint_id === id),
    30_000,
  );
  const [, last = 0, next = 0] = endpoint.arrivals;
  expect(next - last).to.be.at.least(RETRY_AFTER_S * 1000);
  // Compare only events that are newer than the endpoint. A busy machine may deliver older events
  // to the healthy endpoint much later.
  const missing = healthy[0]?.endpoint.requests.filter(
    ({ id, event }) => event.timestamp > joinedAt && !endpoint.ids.includes(id),
  );
  expect(missing).to.deep.equal([]);
}
