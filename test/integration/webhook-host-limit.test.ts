import { expect } from 'chai';
import { eventually } from '../support/poll.js';
import { type Hook, WebhookBench } from './webhook-fixture.js';

/** Some six events: each costs its body and 1 KiB. */
const BOUND = 12_000;
const EVENTS = 12;

describe('webhook bytes of one account to one host', () => {
  let bench: WebhookBench;

  before(async () => {
    bench = await WebhookBench.start({}, 0);
  });
  after(() => bench.stop());

  const received = (hooks: Hook[]) => hooks.reduce((sum, { receiver }) => sum + receiver.requests.length, 0);
  const healthOf = async ({ client, id }: Hook) => (await client.get(`/webhook-endpoints/${id}`)).body.health;

  it('wait beyond the bound of a minute: nothing is lost, nothing counts as a failure, other accounts go on', async () => {
    const [flooding, other] = [await bench.stack.createTenant(), await bench.stack.createTenant()];
    const hooks = [
      await bench.hook({}, flooding),
      await bench.hook({}, flooding),
      await bench.hook({}, flooding),
    ];
    const neighbour = await bench.hook({}, other);
    const narrow = [
      await bench.startWorker({ webhookHostBytesPerMinute: BOUND }),
      // Redis counts for all workers; without it there is one.
      ...(bench.stack.redisUrl ? [await bench.startWorker({ webhookHostBytesPerMinute: BOUND })] : []),
    ];
    const ids = await bench.events(flooding.client, EVENTS);
    for (const hook of hooks)
      await eventually(
        'its endpoints to be held back',
        async () => (await healthOf(hook)).state === 'throttled',
      );
    expect(received(hooks)).to.be.within(1, Math.floor(BOUND / 1024));
    for (const hook of hooks) {
      const health = await healthOf(hook);
      expect(health).to.include({ consecutive_failures: 0, failing_since: null, last_error: 'host_limit' });
      expect(Date.parse(health.paused_until)).to.be.within(Date.now() - 5_000, Date.now() + 65_000);
      const waiting = (await bench.deliveries(hook)).filter(({ status }) => status !== 'succeeded');
      for (const one of waiting) expect(one).to.include({ status: 'pending', attempts: 0, last_error: null });
    }
    const id = await bench.event(other.client);
    await bench.allIn(neighbour, 'succeeded', 1);
    expect(neighbour.receiver.requests.map((request) => request.id)).to.deep.equal([id]);

    // The minute is over: workers with room enough find all of it.
    for (const { lifecycle } of narrow) expect(await lifecycle.close(10_000)).to.equal(true);
    await bench.stack.rows(
      flooding.id,
      'update webhook_lanes set throttled_until = now() where tenant_id = $1',
      [flooding.id],
    );
    await bench.startWorker();
    for (const hook of hooks) {
      await bench.wake(hook);
      const done = await bench.allIn(hook, 'succeeded', EVENTS);
      for (const one of done) expect(one.attempts).to.equal(1);
      expect(hook.receiver.requests.map((request) => request.id)).to.have.members(ids);
    }
  });
});
