import { expect } from 'chai';
import { RETRY_SCHEDULE_MS } from '../../../../workers/leased-queues/retry-schedule.js';
import { registerConcurrentTests } from '../../../support/concurrent-tests.js';
import { eventually } from '../../../support/poll.js';
import { type Hook, pause, respondInSequence, useWebhookBench } from '../endpoints/webhook-fixture.js';

const SOON_MS = 700;
/** Tolerance for the difference of two clocks, and for rounding in the database. */
const CLOCK_TOLERANCE_MS = 30;

describe('webhook deliveries that fail', () => {
  const bench = useWebhookBench();

  const fail = () => ({ status: 500 });
  /** Makes an endpoint fail until its circuit breaker opens. */
  const openBreaker = async (hook: Hook): Promise<void> => {
    hook.receiver.respond = fail;
    await bench.createEvents(hook.client, 5);
    await eventually(
      'the circuit breaker to open',
      async () => (await bench.readEndpointQueue(hook)).open_until !== null,
    );
  };
  /** Ends the pause of a circuit breaker, once no worker has a lease on the endpoint queue. */
  const endPause = async (hook: Hook): Promise<void> => {
    await bench.waitForRelease(hook);
    const text = 'update webhook_lanes set open_until = now() where tenant_id = $1 and endpoint_id = $2';
    await bench.stack.rows(hook.tenantId, text, [hook.tenantId, hook.id]);
    await bench.makeDue(hook);
  };

  /** Waits until the clock disables the endpoint for the given reason. */
  const waitUntilDisabled = (hook: Hook, reason: string) =>
    eventually('the endpoint to be disabled', async () => {
      const { body } = await hook.client.get(`/webhook-endpoints/${hook.id}`);
      return body.enabled === false && body.disabled_reason === reason;
    });

  const scenarios = {
    async 'five failures in a row pause an endpoint; then single probes go out until a success resumes all'() {
      const hook = await bench.createHook();
      await openBreaker(hook);
      const first = await bench.readEndpointQueue(hook);
      expect(first).to.include({ opened: 1, consecutive_failures: 5, last_error: 'http_500' });
      expect(first.open_until - Date.now()).to.be.within(20_000, 36_000);
      const { health } = (await hook.client.get(`/webhook-endpoints/${hook.id}`)).body;
      expect(health).to.include({ state: 'paused', paused_until: first.open_until.toISOString() });
      const late = await bench.createEvent(hook.client);
      await pause(SOON_MS);
      expect(hook.receiver.requests).to.have.length(5);
      hook.receiver.respond = () => ({ status: 500, delayMs: 200 });
      await endPause(hook);
      await eventually('the probe to fail', async () => (await bench.readEndpointQueue(hook)).opened === 2);
      expect((await bench.readEndpointQueue(hook)).open_until - Date.now()).to.be.within(50_000, 72_000);
      await pause(SOON_MS);
      expect(hook.receiver.requests, 'one probe and no more').to.have.length(6);
      hook.receiver.respond = () => ({ delayMs: 100 });
      await endPause(hook);
      await bench.waitForStatus(hook, 'succeeded', 6);
      expect(hook.receiver.ids).to.include(late);
      expect(await bench.readEndpointQueue(hook)).to.include({
        opened: 0,
        open_until: null,
        consecutive_failures: 0,
        failing_since: null,
      });
    },

    async 'a failed delivery is retried after five seconds with the same id and bytes and a new timestamp'() {
      const hook = await bench.createHook({
        respond: respondInSequence({ status: 500, body: 'broken' }, {}),
      });
      const id = await bench.createEvent(hook.client);
      const [failed] = await bench.waitForStatus(hook, 'failed', 1);
      expect(failed).to.include({ attempts: 1, last_response_status: 500, last_error: 'http_500' });
      await bench.waitForStatus(hook, 'succeeded', 1);
      const [one, two, ...more] = hook.receiver.requestsOf(id);
      expect(more).to.deep.equal([]);
      expect((two?.at ?? 0) - (one?.at ?? 0)).to.be.at.least(5000);
      expect(two?.body.equals(one?.body ?? Buffer.alloc(0))).to.equal(true);
      expect(two?.headers['webhook-timestamp']).to.not.equal(one?.headers['webhook-timestamp']);
      const attempts = await bench.listAttempts(hook, failed.id);
      expect(attempts.map((each) => [each.attempt, each.response_status, each.error_class])).to.deep.equal([
        [1, 500, null],
        [2, 200, null],
      ]);
    },

    async '429 with Retry-After pauses the whole endpoint until then, and no other endpoint'() {
      const tenant = await bench.stack.createTenant();
      // The pause lasts longer than all actions of the test that must happen before its end.
      const pauseMs = 8000;
      const busy = { status: 429, headers: { 'retry-after': `${pauseMs / 1000}` } };
      const hook = await bench.createHook({ respond: () => busy }, tenant);
      const other = await bench.createHook({}, tenant);
      await bench.createEvent(tenant.client);
      await bench.waitForStatus(hook, 'failed', 1);
      const firstRequestAt = hook.receiver.arrivals[0] ?? 0;
      hook.receiver.respond = () => ({});
      await pause(100);
      await bench.createEvent(tenant.client);
      await other.receiver.waitFor(2);
      expect(hook.receiver.requests).to.have.length(1);
      const { health } = (await tenant.client.get(`/webhook-endpoints/${hook.id}`)).body;
      expect(health.state).to.equal('throttled');
      const [, next] = await hook.receiver.waitFor(2);
      expect((next?.at ?? 0) - firstRequestAt).to.be.at.least(pauseMs - CLOCK_TOLERANCE_MS);
      expect(other.receiver.arrivals.every((at) => at - firstRequestAt < pauseMs)).to.equal(true);
    },

    async 'a delivery is exhausted after ten attempts, and each wait is as scheduled or slightly longer'() {
      const hook = await bench.createHook();
      let failing = '';
      hook.receiver.respond = ({ id }) => (id === failing || !failing ? { status: 503 } : {});
      failing = await bench.createEvent(hook.client);
      const [delivery] = await bench.waitForStatus(hook, 'failed', 1);
      for (let attempt = 1; attempt < 10; attempt += 1) {
        const shown = await eventually(`attempt ${attempt} to be stored`, async () => {
          const { body } = await hook.client.get(`/webhook-deliveries/${delivery.id}`);
          return body.attempts === attempt && body.status === 'failed' && body;
        });
        const wait = Date.parse(shown.next_attempt_at) - Date.parse(shown.last_attempt_at);
        const planned = RETRY_SCHEDULE_MS[attempt] ?? 0;
        expect(wait, `after attempt ${attempt}`).to.be.within(planned, planned * 1.1 + 2000);
        // Let another delivery succeed before the next failure, so that the circuit breaker stays
        // closed.
        await bench.createEvent(hook.client);
        await hook.receiver.waitFor(2 * attempt);
        await bench.makeDue(hook);
      }
      const [ended] = await eventually('the delivery to be exhausted', async () => {
        const found = await bench.listDeliveries(hook, '&status=exhausted');
        return found.length === 1 && found;
      });
      expect(ended).to.include({ id: delivery.id, attempts: 10, next_attempt_at: null });
      expect(hook.receiver.requestsOf(failing)).to.have.length(10);
      const numbers = (await bench.listAttempts(hook, delivery.id)).map(({ attempt }) => attempt);
      expect(numbers).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(await bench.readEndpointQueue(hook)).to.include({
        exhausted_count: 1,
        last_exhausted_id: delivery.id,
      });
    },

    async '410 exhausts the delivery, and nothing more is sent until a client enables the endpoint again'() {
      const hook = await bench.createHook({ respond: () => ({ status: 410 }) });
      await bench.createEvent(hook.client);
      const [ended] = await bench.waitForStatus(hook, 'exhausted', 1);
      expect(ended).to.include({ attempts: 1, last_error: 'http_410' });
      await waitUntilDisabled(hook, 'gone');
      await bench.createEvent(hook.client);
      await pause(SOON_MS);
      expect(hook.receiver.requests).to.have.length(1);
      hook.receiver.respond = () => ({});
      await bench.patchEndpoint(hook, { enabled: false });
      await bench.patchEndpoint(hook, { enabled: true });
      const next = await bench.createEvent(hook.client);
      await eventually('the delivery to arrive', () => hook.receiver.ids.includes(next), 3000);
    },

    async 'a delivery is sent immediately when a client enables the endpoint again during a pause'() {
      const hook = await bench.createHook();
      await openBreaker(hook);
      hook.receiver.respond = () => ({});
      await bench.patchEndpoint(hook, { enabled: false });
      await bench.patchEndpoint(hook, { enabled: true });
      const next = await bench.createEvent(hook.client);
      await eventually('the delivery to arrive', () => hook.receiver.ids.includes(next), 3000);
    },

    async 'a receiver can refuse one delivery with abort-message, or all further ones with disable'() {
      const headers = (value: string) => ({ 'webhook-delivery': value });
      const abort = await bench.createHook({
        respond: () => ({ status: 400, headers: headers('abort-message') }),
      });
      const disable = await bench.createHook({ respond: () => ({ headers: headers('disable') }) });
      await bench.createEvents(abort.client, 6);
      await bench.createEvent(disable.client);
      const cancelled = await bench.waitForStatus(abort, 'cancelled', 6);
      for (const one of cancelled)
        expect(one).to.include({ attempts: 1, last_error: 'aborted_by_receiver', next_attempt_at: null });
      expect(
        (await bench.readEndpointQueue(abort)).open_until,
        'abort-message does not count as a failure',
      ).to.equal(null);
      await bench.waitForStatus(disable, 'succeeded', 1);
      await waitUntilDisabled(disable, 'receiver');
      await bench.createEvent(disable.client);
      await pause(SOON_MS);
      expect(disable.receiver.requests).to.have.length(1);
    },

    async 'a redirect fails the delivery, and the worker does not follow it'() {
      const found = [301, 302, 307, 308].map(async (status) => {
        const redirect = `${bench.receiver.origin}/stray`;
        const hook = await bench.createHook({ respond: () => ({ redirect, status }) });
        await bench.createEvent(hook.client);
        const [failed] = await bench.waitForStatus(hook, 'failed', 1);
        expect(failed).to.include({ last_response_status: status, last_error: `http_${status}` });
      });
      await Promise.all(found);
    },

    async 'a test event that fails with Retry-After does not stall the other deliveries of its endpoint'() {
      const hook = await bench.createHook({
        respond: () => ({ status: 503, headers: { 'retry-after': '1' } }),
      });
      await hook.client.post(`/webhook-endpoints/${hook.id}/test`);
      await bench.waitForStatus(hook, 'exhausted', 1);
      hook.receiver.respond = () => ({});
      const id = await bench.createEvent(hook.client);
      await eventually('the delivery to arrive', () => hook.receiver.ids.includes(id), 4000);
    },
  };

  registerConcurrentTests(scenarios, { maxConcurrent: 10, timeoutMs: 40_000 });
});
