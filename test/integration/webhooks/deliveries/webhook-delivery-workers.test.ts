import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { openWebhooksQueue } from '../../../../shared/queues/webhooks.js';
import { registerConcurrentTests } from '../../../support/concurrent-tests.js';
import { eventually } from '../../../support/poll.js';
import { type Hook, holdResponses, pause, useWebhookBench } from '../endpoints/webhook-fixture.js';

describe('webhook workers', () => {
  const bench = useWebhookBench({}, 0);

  const updateQueueRow = ({ tenantId, id }: Hook, columns: string, values: unknown[] = []) =>
    bench.stack.rows(
      tenantId,
      `update webhook_lanes set ${columns} where tenant_id = $1 and endpoint_id = $2`,
      [tenantId, id, ...values],
    );
  /** Creates an endpoint, and waits until a worker has leased and released the endpoint queue. */
  const createIdleEndpoint = async (): Promise<Hook> => {
    const hook = await bench.createHook();
    await eventually(
      'a worker to lease the endpoint queue',
      async () => (await bench.readEndpointQueue(hook)).owner !== null,
    );
    await bench.waitForRelease(hook);
    return hook;
  };
  const expectOnce = (hook: Hook, ids: string[]) =>
    expect(hook.receiver.requests.map(({ id }) => id)).to.have.members(ids);

  it('a webhook worker that stops finishes its requests, queues the rest and keeps the endpoint state', async () => {
    const first = await bench.startWorker();
    const { respond, release } = holdResponses();
    const hook = await bench.createHook({ max_in_flight: 2, respond });
    const failing = await bench.createHook({ respond: () => ({ status: 500 }) });
    await bench.createEvents(failing.client, 5);
    await eventually(
      'a circuit breaker to open',
      async () => (await bench.readEndpointQueue(failing)).open_until !== null,
    );
    const ids = await bench.createEvents(hook.client, 5);
    await hook.receiver.waitFor(2);
    const closing = first.lifecycle.close(10_000);
    await pause(300);
    release();
    await closing;
    expect(hook.receiver.requests).to.have.length(2);
    expect(hook.receiver.inFlight).to.equal(0);
    const stored = await bench.listDeliveries(hook);
    expect(stored.filter(({ status }) => status === 'succeeded')).to.have.length(2);
    expect(stored.filter(({ status, attempts }) => status === 'pending' && !attempts)).to.have.length(3);
    expect(await bench.readEndpointQueue(hook)).to.include({ owner: null, lease_until: null });
    const queue = openWebhooksQueue(bench.stack.runtime);
    const queued = (await queue.getJobs(['waiting'])).flatMap(({ data }) => data.lanes);
    expect(queued.map(({ endpointId }) => endpointId)).to.include(hook.id);
    const { opened, open_until } = await bench.readEndpointQueue(failing);
    await bench.startWorker();
    hook.receiver.respond = () => ({});
    await bench.waitForStatus(hook, 'succeeded', 5);
    expectOnce(hook, ids);
    await bench.createEvent(failing.client);
    await bench.makeDue(failing);
    await pause(700);
    expect(failing.receiver.requests).to.have.length(5);
    expect(await bench.readEndpointQueue(failing)).to.deep.include({ opened, open_until });
  });

  describe('webhook workers, tested in parallel', () => {
    const scenarios = {
      async 'a webhook worker stops sending once another worker holds the lease of the endpoint queue'() {
        const hook = await bench.createHook({ max_in_flight: 1, respond: () => ({ delayMs: 500 }) });
        const made = bench.createEvents(hook.client, 25);
        await hook.receiver.waitFor(1);
        await updateQueueRow(hook, "owner = $3, lease_until = now() + interval '60 s'", [randomUUID()]);
        // The first worker notices the lost lease only when it next renews the lease. Until then it
        // sends two requests per second.
        await eventually('the old owner to stop sending', () => {
          return Date.now() - (hook.receiver.arrivals.at(-1) ?? 0) > 2500;
        });
        const ids = await made;
        expect(hook.receiver.requests).to.have.length.below(15);
        hook.receiver.respond = () => ({});
        await updateQueueRow(hook, 'owner = null, lease_until = null');
        await bench.wakeEndpointQueue(hook);
        await bench.waitForStatus(hook, 'succeeded', 25);
        expectOnce(hook, ids);
      },

      async 'webhook workers find due deliveries whose job is lost'() {
        const hook = await createIdleEndpoint();
        const queue = openWebhooksQueue(bench.stack.runtime);
        // While another worker seems to have the lease, the job ends without sending. Afterwards no
        // job is left.
        await updateQueueRow(hook, "owner = $3, lease_until = now() + interval '60 s'", [randomUUID()]);
        const ids = await bench.createEvents(hook.client, 3);
        await eventually(
          'the queue to be empty',
          async () => (await queue.getJobCountByTypes('waiting', 'active')) === 0,
        );
        await updateQueueRow(hook, 'owner = null, lease_until = null, woken = false');
        await bench.waitForStatus(hook, 'succeeded', 3);
        expectOnce(hook, ids);
      },

      async 'a webhook worker skips an endpoint whose settings it cannot read, and no other endpoint'() {
        const tenant = await bench.stack.createTenant();
        const [unreadable, good] = await Promise.all([
          bench.createHook({}, tenant),
          bench.createHook({}, tenant),
        ]);
        await bench.stack.rows(
          tenant.id,
          "update webhook_secrets set secret_sealed = 'spoilt' where tenant_id = $1 and endpoint_id = $2",
          [tenant.id, unreadable.id],
        );
        await bench.patchEndpoint(unreadable, { description: 'changed, so that it is read again' });
        // The job for this event names both endpoints.
        const id = await bench.createEvent(tenant.client);
        await bench.waitForStatus(good, 'succeeded', 1, 5000);
        expectOnce(good, [id]);
      },

      async 'a webhook worker takes over the endpoint queue of a dead worker once the lease expires'() {
        const [expired, expiring] = await Promise.all([createIdleEndpoint(), createIdleEndpoint()]);
        await updateQueueRow(expired, "owner = $3, lease_until = now() - interval '1 s'", [randomUUID()]);
        await updateQueueRow(expiring, "owner = $3, lease_until = now() + interval '2.5 s'", [randomUUID()]);
        const { lease_until: endsAt } = await bench.readEndpointQueue(expiring);
        const [one, two] = await Promise.all([
          bench.createEvent(expired.client),
          bench.createEvent(expiring.client),
        ]);
        await eventually('the first event to arrive', () => expired.receiver.requests.length === 1, 2000);
        await expiring.receiver.waitFor(1);
        expect(expiring.receiver.arrivals[0]).to.be.at.least(endsAt.getTime());
        expectOnce(expired, [one]);
        expectOnce(expiring, [two]);
      },
    };

    registerConcurrentTests(scenarios, { maxConcurrent: 3, timeoutMs: 45_000 });
  });
});
