import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { markDelivering, storeAttempts } from '../../../../shared/deliveries/store-attempts.js';
import { registerConcurrentTests } from '../../../support/concurrent-tests.js';
import { StrictReceiver } from '../../../support/webhooks/strict-receiver.js';
import {
  type Hook,
  holdResponses,
  pause,
  respondInSequence,
  useWebhookBench,
} from '../endpoints/webhook-fixture.js';

/** Each sent event arrives well within this time. */
const SOON_MS = 700;

describe('webhook deliveries', () => {
  const bench = useWebhookBench();

  const deliver = async (hook: Hook) => {
    const count = hook.receiver.requests.length;
    const id = await bench.createEvent(hook.client);
    const requests = await hook.receiver.waitFor(count + 1);
    expect(requests.at(-1)?.id).to.equal(id);
    return requests.at(-1) as (typeof requests)[number];
  };

  const scenarios = {
    async 'an endpoint receives every event once, with exactly the bytes that GET /events/{id} returns'() {
      const hook = await bench.createHook();
      const ids = await bench.createEvents(hook.client, 30);
      await hook.receiver.waitFor(30);
      const found = await bench.waitForStatus(hook, 'succeeded', 30);
      for (const delivery of found)
        expect(delivery).to.include({
          attempts: 1,
          last_response_status: 200,
          last_error: null,
          next_attempt_at: null,
          trigger: 'event',
        });
      expect(found.map((one) => one.event_id)).to.have.members(ids);
      await pause(SOON_MS);
      expect(hook.receiver.requests.map(({ id }) => id)).to.have.members(ids);
      const [secret = ''] = hook.receiver.secrets;
      for (const { id, body, headers } of hook.receiver.requests) {
        const { text } = await hook.client.get(`/events/${id}`);
        expect(body.toString()).to.equal(text);
        const verified = new Webhook(secret).verify(body, headers as Record<string, string>);
        expect(verified).to.have.property('id', id);
      }
    },

    async 'an event goes to every endpoint whose filters match its type, and to no other'() {
      const tenant = await bench.stack.createTenant();
      const [exact, prefix, all, other] = await Promise.all(
        [['invoice.created'], ['invoice.*'], ['*'], ['invoice.paid', 'dispatch.*']].map((types) =>
          bench.createHook({ event_types: types }, tenant),
        ),
      );
      const id = await bench.createEvent(tenant.client);
      const workOrder = await tenant.client.post('/work-orders', { service_type: 'tow' });
      expect(workOrder.status).to.equal(201);
      await Promise.all([exact, prefix].map((hook) => hook?.receiver.waitFor(1)));
      await all?.receiver.waitFor(2);
      await pause(SOON_MS);
      const seen = (hook?: Hook) => hook?.receiver.requests.map(({ event }) => event.type).sort();
      expect(seen(exact)).to.deep.equal(['invoice.created']);
      expect(seen(prefix)).to.deep.equal(['invoice.created']);
      expect(seen(all)).to.deep.equal(['invoice.created', 'work_order.created']);
      expect(seen(other)).to.deep.equal([]);
      expect([exact, prefix].map((hook) => hook?.receiver.ids)).to.deep.equal([[id], [id]]);
    },

    async 'deliveries stay within their account, and live and sandbox deliveries stay apart'() {
      const [one, two] = await Promise.all([bench.stack.createTenant(), bench.stack.createTenant()]);
      const live = await bench.createHook({ event_types: ['*'] }, one);
      const sandbox = await bench.createHook({ event_types: ['*'] }, one, one.sandbox);
      const foreign = await bench.createHook({ event_types: ['*'] }, two);
      const [liveId, sandboxId] = await Promise.all([
        bench.createEvent(one.client),
        bench.createEvent(one.sandbox),
      ]);
      await Promise.all([live.receiver.waitFor(1), sandbox.receiver.waitFor(1)]);
      await pause(SOON_MS);
      expect(live.receiver.ids).to.deep.equal([liveId]);
      expect(sandbox.receiver.ids).to.deep.equal([sandboxId]);
      expect(live.receiver.requests[0]?.event).to.include({ environment: 'live', tenant_id: one.id });
      expect(sandbox.receiver.requests[0]?.event).to.include({
        environment: 'sandbox',
        tenant_id: one.sandboxId,
      });
      expect(foreign.receiver.requests).to.deep.equal([]);
    },

    async 'the log has each attempt in full, with secret header values hidden'() {
      // A receiver at a new origin forces the worker to open a connection, so that the log has a
      // `connect_ms`.
      const fresh = await StrictReceiver.start();
      const responseBody = Buffer.concat([Buffer.from('né\0'), Buffer.alloc(20_000, '.')]);
      const hook = await bench.createHook({
        headers: { Authorization: 'Bearer of-the-receiver', 'X-Own': 'of-the-receiver' },
        respond: () => ({ status: 202, headers: { 'x-kept': 'yes' }, body: responseBody, delayMs: 30 }),
      });
      await bench.patchEndpoint(hook, { url: fresh.endpoint.url });
      Object.assign(fresh.endpoint, { respond: hook.receiver.respond, secrets: hook.receiver.secrets });
      const request = await deliver({ ...hook, receiver: fresh.endpoint });
      expect(request.headers).to.include({
        authorization: 'Bearer of-the-receiver',
        'x-own': 'of-the-receiver',
      });
      const [delivery] = await bench.waitForStatus(hook, 'succeeded', 1);
      const [attempt, ...more] = await bench.listAttempts(hook, delivery.id);
      expect(more).to.deep.equal([]);
      expect(attempt).to.include({
        delivery_id: delivery.id,
        endpoint_id: hook.id,
        attempt: 1,
        url: fresh.endpoint.url,
        response_status: 202,
        response_truncated: true,
        error_class: null,
        error_message: null,
        remote_address: '127.0.0.1',
      });
      const { date: _date, ...own } = attempt.response_headers;
      expect(own).to.include({ 'x-kept': 'yes' });
      expect(attempt.response_body).to.equal(`né\uFFFD${'.'.repeat(16 * 1024 - 4)}`);
      const sent = Object.fromEntries(
        Object.entries(attempt.request_headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const { authorization, 'x-own': xOwn, ...visible } = sent;
      expect([authorization, xOwn]).to.deep.equal(['[hidden]', '[hidden]']);
      expect(visible).to.have.keys(
        'content-type',
        'user-agent',
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
      );
      for (const [name, value] of Object.entries(visible))
        expect(request.headers[name], name).to.equal(value);
      expect(attempt.connect_ms).to.be.within(0, attempt.first_byte_ms);
      expect(attempt.first_byte_ms).to.be.within(29, attempt.total_ms);
      // The tolerance is 3 ms, because the three times are rounded separately.
      expect(request.at - Date.parse(attempt.started_at)).to.be.within(-3, attempt.first_byte_ms + 3);
      expect(fresh.problems).to.deep.equal([]);
      await fresh.stop();
    },

    async 'a delivery has the status delivering while its receiver has not responded'() {
      const { respond, release } = holdResponses();
      const hook = await bench.createHook({ respond });
      await bench.createEvent(hook.client);
      const [delivery] = await bench.waitForStatus(hook, 'delivering', 1);
      release();
      expect(delivery).to.include({ attempts: 0, completed_at: null });
      expect((await bench.waitForStatus(hook, 'succeeded', 1))[0]).to.include({ attempts: 1 });
      expect((await bench.readEndpointQueue(hook)).is_slow).to.equal(true);
    },

    async 'a worker that lost its lease cannot overwrite the stored outcome of a delivery'() {
      const later = { status: 500, headers: { 'retry-after': '600' } };
      const hook = await bench.createHook({ respond: respondInSequence(later, {}) });
      const { db } = bench.stack.runtime;
      await bench.createEvent(hook.client);
      const [failed] = await bench.waitForStatus(hook, 'failed', 1);
      await markDelivering(db, [{ tenantId: hook.tenantId, id: failed.id, attempts: 0 }]);
      expect(await bench.listDeliveries(hook)).to.deep.equal([failed]);
      await bench.makeDue(hook);
      const [succeeded] = await bench.waitForStatus(hook, 'succeeded', 1);
      const late = {
        tenantId: hook.tenantId,
        endpointId: hook.id,
        deliveryId: failed.id,
        number: 2,
        attempt: undefined,
        decision: {
          ...({ status: 'failed', errorClass: 'timeout' } as const),
          retryInMs: 1000,
          stop: null,
          pauseMs: 0,
        },
      };
      await storeAttempts(db, [late], []);
      expect(await bench.listDeliveries(hook)).to.deep.equal([succeeded]);
    },

    async 'all valid secrets sign a delivery, newest first; after a rotation without overlap only the new one'() {
      const hook = await bench.createHook();
      await deliver(hook);
      await bench.rotateSecret(hook, 1);
      const both = await deliver(hook);
      expect(String(both.headers['webhook-signature']).split(' ')).to.have.length(2);
      const latest = await bench.rotateSecret(hook, 1);
      const three = await deliver(hook);
      const [first = ''] = String(three.headers['webhook-signature']).split(' ');
      const headers = { ...(three.headers as Record<string, string>), 'webhook-signature': first };
      expect(() => new Webhook(latest).verify(three.body, headers)).to.not.throw();
      await bench.rotateSecret(hook, 0);
      const alone = await deliver(hook);
      expect(String(alone.headers['webhook-signature']).split(' ')).to.have.length(1);
      expect(hook.receiver.problems).to.deep.equal([]);
    },

    async 'an ed25519 key also signs the deliveries of an asymmetric endpoint, also after a rotation'() {
      const hook = await bench.createHook({ asymmetric: true });
      const { headers } = await deliver(hook);
      const schemes = String(headers['webhook-signature']).match(/v1a?(?=,)/g);
      expect(schemes).to.have.members(['v1', 'v1a']);
      await bench.rotateSecret(hook, 0);
      await deliver(hook);
      await bench.patchEndpoint(hook, { asymmetric: false });
      hook.receiver.publicKeys = [];
      expect((await deliver(hook)).headers['webhook-signature']).to.match(/^v1,\S+$/);
      expect(hook.receiver.problems).to.deep.equal([]);
    },

    async 'a changed URL and changed headers apply from the next attempt on'() {
      // This Retry-After delays the second attempt until the test makes it due.
      const later = { status: 500, headers: { 'retry-after': '600' } };
      const hook = await bench.createHook({ respond: () => later, headers: { 'X-Own': 'one' } });
      const next = bench.receiver.add({ secret: hook.receiver.secrets[0] as string });
      const id = await bench.createEvent(hook.client);
      await bench.waitForStatus(hook, 'failed', 1);
      await bench.patchEndpoint(hook, { url: next.url, headers: { 'X-Own': 'two' } });
      await bench.makeDue(hook);
      await next.waitFor(1);
      expect(next.ids).to.deep.equal([id]);
      expect(next.requests[0]?.headers['x-own']).to.equal('two');
      expect(hook.receiver.requests).to.have.length(1);
      expect(hook.receiver.requests[0]?.headers['x-own']).to.equal('one');
    },
  };

  registerConcurrentTests(scenarios, { maxConcurrent: 8, timeoutMs: 30_000 });
});
