import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { openWebhooksQueue } from '../../shared/queues/webhooks.js';
import { eventually } from '../support/poll.js';
import { sideBySide } from '../support/side-by-side.js';
import { type Hook, held, pause, WebhookBench } from './webhook-fixture.js';

describe('workers that deliver webhooks', () => {
  let bench: WebhookBench;

  before(async () => {
    bench = await WebhookBench.start({}, 0);
  });
  after(() => bench.stop());

  const setLane = ({ tenantId, id }: Hook, columns: string, values: unknown[] = []) =>
    bench.stack.rows(
      tenantId,
      `update webhook_lanes set ${columns} where tenant_id = $1 and endpoint_id = $2`,
      [tenantId, id, ...values],
    );
  /** An endpoint that a worker has looked at and given back. */
  const idle = async (): Promise<Hook> => {
    const hook = await bench.hook();
    await eventually('the lane to be taken', async () => (await bench.lane(hook)).owner !== null);
    await bench.released(hook);
    return hook;
  };
  const expectOnce = (hook: Hook, ids: string[]) =>
    expect(hook.receiver.requests.map(({ id }) => id)).to.have.members(ids);

  it('that stop finish what is under way and hand over the rest; the state of an endpoint outlives them', async () => {
    const first = await bench.startWorker();
    const { respond, release } = held();
    const hook = await bench.hook({ max_in_flight: 2, respond });
    const failing = await bench.hook({ respond: () => ({ status: 500 }) });
    await bench.events(failing.client, 5);
    await eventually('a breaker to open', async () => (await bench.lane(failing)).open_until !== null);
    const ids = await bench.events(hook.client, 5);
    await hook.receiver.waitFor(2);
    const closing = first.lifecycle.close(10_000);
    await pause(300);
    release();
    await closing;
    expect(hook.receiver.requests).to.have.length(2);
    expect(hook.receiver.inFlight).to.equal(0);
    const stored = await bench.deliveries(hook);
    expect(stored.filter(({ status }) => status === 'succeeded')).to.have.length(2);
    expect(stored.filter(({ status, attempts }) => status === 'pending' && !attempts)).to.have.length(3);
    expect(await bench.lane(hook)).to.include({ owner: null, lease_until: null });
    const queue = openWebhooksQueue(bench.stack.runtime);
    const told = (await queue.getJobs(['waiting'])).flatMap(({ data }) => data.lanes);
    expect(told.map(({ endpointId }) => endpointId)).to.include(hook.id);
    const { opened, open_until } = await bench.lane(failing);
    await bench.startWorker();
    hook.receiver.respond = () => ({});
    await bench.allIn(hook, 'succeeded', 5);
    expectOnce(hook, ids);
    await bench.event(failing.client);
    await bench.makeDue(failing);
    await pause(700);
    expect(failing.receiver.requests).to.have.length(5);
    expect(await bench.lane(failing)).to.deep.include({ opened, open_until });
  });

  describe('side by side', () => {
    const scenarios = {
      async 'do nothing more with a lane that another one has taken'() {
        const hook = await bench.hook({ max_in_flight: 1, respond: () => ({ delayMs: 500 }) });
        const made = bench.events(hook.client, 25);
        await hook.receiver.waitFor(1);
        await setLane(hook, "owner = $3, lease_until = now() + interval '60 s'", [randomUUID()]);
        // The owner finds out when it renews its lease; two a second until then.
        await eventually('it to send nothing more', () => {
          return Date.now() - (hook.receiver.arrivals.at(-1) ?? 0) > 2500;
        });
        const ids = await made;
        expect(hook.receiver.requests).to.have.length.below(15);
        hook.receiver.respond = () => ({});
        await setLane(hook, 'owner = null, lease_until = null');
        await bench.wake(hook);
        await bench.allIn(hook, 'succeeded', 25);
        expectOnce(hook, ids);
      },

      async 'find what they were never told of, because its job is lost'() {
        const hook = await idle();
        const queue = openWebhooksQueue(bench.stack.runtime);
        // While somebody else seems to have the lane, its job does nothing; then there is none.
        await setLane(hook, "owner = $3, lease_until = now() + interval '60 s'", [randomUUID()]);
        const ids = await bench.events(hook.client, 3);
        await eventually(
          'the queue to be empty',
          async () => (await queue.getJobCountByTypes('waiting', 'active')) === 0,
        );
        await setLane(hook, 'owner = null, lease_until = null, woken = false');
        await bench.allIn(hook, 'succeeded', 3);
        expectOnce(hook, ids);
      },

      async 'leave out an endpoint whose settings cannot be read, and no other'() {
        const tenant = await bench.stack.createTenant();
        const [spoilt, good] = await Promise.all([bench.hook({}, tenant), bench.hook({}, tenant)]);
        await bench.stack.rows(
          tenant.id,
          "update webhook_secrets set secret_sealed = 'spoilt' where tenant_id = $1 and endpoint_id = $2",
          [tenant.id, spoilt.id],
        );
        await bench.patch(spoilt, { description: 'changed, so that it is read again' });
        // One job names both.
        const id = await bench.event(tenant.client);
        await bench.allIn(good, 'succeeded', 1, 5000);
        expectOnce(good, [id]);
      },

      async 'take over the lane of one that died, once its lease is over'() {
        const [dead, dying] = await Promise.all([idle(), idle()]);
        await setLane(dead, "owner = $3, lease_until = now() - interval '1 s'", [randomUUID()]);
        await setLane(dying, "owner = $3, lease_until = now() + interval '2.5 s'", [randomUUID()]);
        const { lease_until: endsAt } = await bench.lane(dying);
        const [one, two] = await Promise.all([bench.event(dead.client), bench.event(dying.client)]);
        await eventually('the first to arrive', () => dead.receiver.requests.length === 1, 2000);
        await dying.receiver.waitFor(1);
        expect(dying.receiver.arrivals[0]).to.be.at.least(endsAt.getTime());
        expectOnce(dead, [one]);
        expectOnce(dying, [two]);
      },
    };

    sideBySide(scenarios, { atOnce: 3, timeoutMs: 45_000 });
  });
});
