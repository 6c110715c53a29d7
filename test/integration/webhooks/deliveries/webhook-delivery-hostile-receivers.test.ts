import { expect } from 'chai';
import { registerConcurrentTests } from '../../../support/concurrent-tests.js';
import { eventually } from '../../../support/poll.js';
import { type ReceiverBehavior, StrictReceiver } from '../../../support/webhooks/strict-receiver.js';
import { useWebhookBench, WebhookBench } from '../endpoints/webhook-fixture.js';

const TIMEOUT_MS = 2000;

describe('webhook deliveries to hostile receivers', () => {
  const bench = useWebhookBench({ WEBHOOK_TIMEOUT_MS: `${TIMEOUT_MS}`, WEBHOOKS_CONCURRENCY: '10' });

  /**
   * Sends one event to a new endpoint, and waits until the log has the first attempt. Returns that
   * attempt with its delivery and endpoint.
   */
  const sendOnce = async (
    reply: ReceiverBehavior,
    fields: Record<string, unknown> = {},
    ownBench = bench,
  ) => {
    const hook = await ownBench.createHook({ respond: () => reply, ...fields });
    await bench.createEvent(hook.client);
    const delivery = await eventually('the attempt to be stored', async () => {
      const [one] = await bench.listDeliveries(hook);
      return one?.attempts === 1 && one;
    });
    const [attempt] = await bench.listAttempts(hook, delivery.id);
    return { hook, delivery, attempt };
  };

  const scenarios = {
    async 'hanging receivers of one account do not delay the deliveries of another account'() {
      const tenant = await bench.stack.createTenant();
      const hanging = await Promise.all(
        Array.from({ length: 40 }, () => bench.createHook({ respond: () => 'hang' }, tenant)),
      );
      const healthy = await bench.createHook();
      await bench.createEvent(tenant.client);
      await eventually('some receivers to hang', () => hanging.some(({ receiver }) => receiver.inFlight > 0));
      const lags: number[] = [];
      for (let nth = 1; nth <= 20; nth += 1) {
        await bench.createEvent(healthy.client);
        const { at = 0, event } = (await healthy.receiver.waitFor(nth)).at(-1) ?? {};
        lags.push(at - Date.parse(event.timestamp));
        expect(
          hanging.some(({ receiver }) => receiver.inFlight > 0),
          'some receivers still hang',
        ).to.equal(true);
      }
      expect(Math.max(...lags), 'the delay in ms of the slowest delivery').to.be.below(3000);
      // Disable the endpoints, so that the worker can close without waiting for the hanging
      // requests.
      await Promise.all(hanging.map((hook) => bench.patchEndpoint(hook, { enabled: false })));
    },

    ...Object.fromEntries(
      (['hang', 'drip', 'drip-head'] as const).map((reply) => [
        `a receiver that replies with ${reply} fails at the deadline`,
        async () => {
          const { attempt, delivery } = await sendOnce(reply);
          expect(delivery).to.include({
            status: 'failed',
            last_error: 'timeout',
            last_response_status: null,
          });
          expect(attempt).to.include({ error_class: 'timeout', response_status: null, response_body: null });
          expect(attempt.error_message).to.be.a('string');
          expect(attempt.total_ms).to.be.within(TIMEOUT_MS - 10, TIMEOUT_MS + 1500);
        },
      ]),
    ),

    async 'a receiver that resets a new connection fails the attempt immediately, without a hidden retry'() {
      // Use a separate receiver. The worker repeats a request if a kept-alive connection is reset,
      // and the other tests leave such connections to the shared receiver.
      const receiver = await StrictReceiver.start();
      try {
        const { attempt, hook } = await sendOnce('reset', {}, new WebhookBench(bench.stack, receiver));
        expect(attempt).to.include({ error_class: 'reset', response_status: null });
        // The next attempt follows seconds later, with a new timestamp. A hidden retry would repeat
        // the timestamp.
        const timestamps = hook.receiver.requests.map(({ headers }) => headers['webhook-timestamp']);
        expect(new Set(timestamps).size, 'no hidden retry').to.equal(timestamps.length);
        // Otherwise the worker would retry after the receiver has stopped.
        await bench.patchEndpoint(hook, { enabled: false });
        expect(receiver.problems).to.deep.equal([]);
      } finally {
        await receiver.stop();
      }
    },

    async 'a worker reads an endless response only as far as the log needs'() {
      const { attempt, hook } = await sendOnce('endless');
      expect(attempt).to.include({ response_status: 200, response_truncated: true });
      expect(attempt.response_body).to.equal('.'.repeat(16 * 1024));
      const [request] = hook.receiver.requests;
      await eventually('the connection to close', () => request?.isOver);
      expect(request?.written).to.be.below(16 * 1024 * 1024);
    },

    async 'a worker does not decompress a response that is a gzip bomb'() {
      const { attempt, delivery } = await sendOnce('gzip-bomb');
      expect(delivery.status).to.equal('succeeded');
      expect(attempt.response_headers).to.include({ 'content-encoding': 'gzip' });
      expect(attempt.response_body.length).to.be.at.most(16 * 1024);
    },

    async 'a receiver that refuses connections fails with the error class connect'() {
      const refused = await sendOnce({}, { url: 'http://127.0.0.1:1/' });
      expect(refused.attempt).to.include({ error_class: 'connect', remote_address: null });
    },
  };

  registerConcurrentTests(scenarios, { maxConcurrent: 8, timeoutMs: 40_000 });
});
