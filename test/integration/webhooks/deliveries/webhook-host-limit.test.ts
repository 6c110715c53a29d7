import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { type Hook, useWebhookBench } from '../endpoints/webhook-fixture.js';

/** This limit allows about six events. Each event counts as the bytes of its body plus 1 KiB. */
const MAX_BYTES_PER_MINUTE = 12_000;
const EVENT_COUNT = 12;

describe('the byte limit for webhooks of one account to one host', () => {
  const bench = useWebhookBench({}, 0);

  const countReceived = (hooks: Hook[]) =>
    hooks.reduce((sum, { receiver }) => sum + receiver.requests.length, 0);
  const readHealth = async ({ client, id }: Hook) =>
    (await client.get(`/webhook-endpoints/${id}`)).body.health;

  it('deliveries beyond the byte limit of a host wait and do not fail, and other accounts are unaffected', async () => {
    const [flooding, other] = [await bench.stack.createTenant(), await bench.stack.createTenant()];
    const hooks = [
      await bench.createHook({}, flooding),
      await bench.createHook({}, flooding),
      await bench.createHook({}, flooding),
    ];
    const otherHook = await bench.createHook({}, other);
    const limitedWorkers = [
      await bench.startWorker({ webhookHostBytesPerMinute: MAX_BYTES_PER_MINUTE }),
      // With Redis, two workers share one count. Without Redis, a single worker runs.
      ...(bench.stack.redisUrl
        ? [await bench.startWorker({ webhookHostBytesPerMinute: MAX_BYTES_PER_MINUTE })]
        : []),
    ];
    const ids = await bench.createEvents(flooding.client, EVENT_COUNT);
    for (const hook of hooks)
      await eventually(
        'the endpoint to be throttled',
        async () => (await readHealth(hook)).state === 'throttled',
      );
    expect(countReceived(hooks)).to.be.within(1, Math.floor(MAX_BYTES_PER_MINUTE / 1024));
    for (const hook of hooks) {
      const health = await readHealth(hook);
      expect(health).to.include({ consecutive_failures: 0, failing_since: null, last_error: 'host_limit' });
      expect(Date.parse(health.paused_until)).to.be.within(Date.now() - 5_000, Date.now() + 65_000);
      const waiting = (await bench.listDeliveries(hook)).filter(({ status }) => status !== 'succeeded');
      for (const one of waiting) expect(one).to.include({ status: 'pending', attempts: 0, last_error: null });
    }
    const id = await bench.createEvent(other.client);
    await bench.waitForStatus(otherHook, 'succeeded', 1);
    expect(otherHook.receiver.requests.map((request) => request.id)).to.deep.equal([id]);

    // End the wait, as if the minute were over. A worker with the default limit then sends the
    // rest.
    for (const { lifecycle } of limitedWorkers) expect(await lifecycle.close(10_000)).to.equal(true);
    await bench.stack.rows(
      flooding.id,
      'update webhook_lanes set throttled_until = now() where tenant_id = $1',
      [flooding.id],
    );
    await bench.startWorker();
    for (const hook of hooks) {
      await bench.wakeEndpointQueue(hook);
      const done = await bench.waitForStatus(hook, 'succeeded', EVENT_COUNT);
      for (const one of done) expect(one.attempts).to.equal(1);
      expect(hook.receiver.requests.map((request) => request.id)).to.have.members(ids);
    }
  });
});
