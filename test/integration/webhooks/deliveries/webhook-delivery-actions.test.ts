import { expect } from 'chai';
import { registerConcurrentTests } from '../../../support/concurrent-tests.js';
import { eventually } from '../../../support/poll.js';
import {
  type Hook,
  holdResponses,
  pause,
  respondInSequence,
  useWebhookBench,
} from '../endpoints/webhook-fixture.js';

const SOON_MS = 700;

describe('webhook deliveries that clients recover, replay, test and cancel', () => {
  const bench = useWebhookBench();

  /**
   * Sends a POST request and asserts its status: 201 if the request creates a record, 200 if it
   * changes a record.
   */
  const postAction = async ({ client }: Hook, path: string, body: unknown = {}, status = 201) => {
    const response = await client.post(path, body);
    expect(response.status, `${path}: ${response.text}`).to.equal(status);
    return response.body;
  };
  const waitForReplay = (hook: Hook, replayId: string, count: number) =>
    eventually(`${count} deliveries of the replay to succeed`, async () => {
      const found = await bench.listDeliveries(hook, `&replay_id=${replayId}`);
      return found.length === count && found.every((one) => one.status === 'succeeded') && found;
    });

  const scenarios = {
    async 'a recovery sends the events missed while the endpoint was disabled, and no others'() {
      const hook = await bench.createHook();
      const since = new Date(Date.now() - 60_000).toISOString();
      await bench.createEvent(hook.client);
      await hook.receiver.waitFor(1);
      await bench.waitForStatus(hook, 'succeeded', 1);
      await bench.patchEndpoint(hook, { enabled: false });
      const missed = await bench.createEvents(hook.client, 3);
      await pause(SOON_MS);
      expect(hook.receiver.requests).to.have.length(1);
      await bench.patchEndpoint(hook, { enabled: true });
      const { id } = await postAction(hook, `/webhook-endpoints/${hook.id}/recover`, { since });
      await waitForReplay(hook, id, 3);
      expect(hook.receiver.ids.slice(1)).to.have.members(missed);
      expect(hook.receiver.requests).to.have.length(4);
    },

    async 'a replay by filter sends the matching deliveries once more, and can be cancelled'() {
      const hook = await bench.createHook();
      const ids = await bench.createEvents(hook.client, 4);
      await bench.waitForStatus(hook, 'succeeded', 4);
      const first = await postAction(hook, '/webhook-deliveries/replay', {
        endpoint_id: hook.id,
        status: 'succeeded',
      });
      await waitForReplay(hook, first.id, 4);
      for (const id of ids) expect(hook.receiver.requestsOf(id)).to.have.length(2);
      const { respond, release } = holdResponses();
      hook.receiver.respond = respond;
      await bench.patchEndpoint(hook, { max_in_flight: 1 });
      const second = await postAction(hook, '/webhook-deliveries/replay', {
        endpoint_id: hook.id,
        status: 'succeeded',
        event_type: 'invoice.created',
      });
      await hook.receiver.waitFor(9);
      await postAction(hook, `/webhook-replays/${second.id}/cancel`, {}, 200);
      await pause(SOON_MS);
      release();
      await pause(SOON_MS);
      const { length } = hook.receiver.requests;
      expect(length, 'nothing more except the request in flight').to.be.within(9, 10);
      const found = await bench.listDeliveries(hook, `&replay_id=${second.id}`);
      expect(found.filter(({ status }) => status === 'succeeded')).to.have.length(length - 8);
      expect(found.filter(({ status }) => status === 'cancelled')).to.have.length(
        found.length - (length - 8),
      );
    },

    async 'live deliveries overtake replayed deliveries that a worker has already loaded'() {
      const hook = await bench.createHook();
      await bench.createEvents(hook.client, 12);
      await bench.waitForStatus(hook, 'succeeded', 12);
      await bench.patchEndpoint(hook, { rate_limit_per_second: 2 });
      await postAction(hook, '/webhook-deliveries/replay', { endpoint_id: hook.id, status: 'succeeded' });
      await hook.receiver.waitFor(15);
      const id = await bench.createEvent(hook.client);
      const before = hook.receiver.requests.length;
      await eventually('the live delivery to arrive', () => hook.receiver.ids.includes(id));
      const overtaken = hook.receiver.requests.findIndex((one) => one.id === id) - before;
      expect(overtaken, 'replays between the event and its arrival').to.be.below(3);
      await hook.receiver.waitFor(25);
      expect(hook.receiver.requests.at(-1)?.id).to.not.equal(id);
    },

    async 'a cancelled delivery is not sent, even if a worker has loaded it'() {
      const { respond, release } = holdResponses({ delayMs: 1000 });
      const hook = await bench.createHook({ max_in_flight: 1, respond });
      const ids = await bench.createEvents(hook.client, 3);
      await hook.receiver.waitFor(1);
      const found = await bench.listDeliveries(hook);
      const last = found.find((one) => !hook.receiver.ids.includes(one.event_id));
      await postAction(hook, `/webhook-deliveries/${last.id}/cancel`, {}, 200);
      release();
      await eventually('the others to arrive', async () =>
        (await bench.listDeliveries(hook)).every(({ status }) => ['succeeded', 'cancelled'].includes(status)),
      );
      await pause(SOON_MS);
      expect(hook.receiver.ids).to.have.members(ids.filter((id) => id !== last.event_id));
      expect(await bench.listAttempts(hook, last.id)).to.deep.equal([]);
    },

    async 'a replay of one delivery has the same event id and bytes, and the current secret signs it'() {
      const hook = await bench.createHook({ respond: respondInSequence({ status: 204 }) });
      const id = await bench.createEvent(hook.client);
      const [original] = await bench.waitForStatus(hook, 'succeeded', 1);
      await bench.rotateSecret(hook, 0);
      const copy = await postAction(hook, `/webhook-deliveries/${original.id}/replay`);
      expect(copy).to.include({ replay_of: original.id, event_id: id, trigger: 'replay' });
      await bench.waitForStatus(hook, 'succeeded', 2);
      expect(hook.receiver.requestsOf(id)).to.have.length(2);
      expect(await bench.listAttempts(hook, copy.id)).to.have.length(1);
    },

    async 'a test event of a chosen type ignores the filters of its endpoint, and is sent once'() {
      const hook = await bench.createHook({ event_types: ['dispatch.assigned'] });
      const one = await postAction(hook, `/webhook-endpoints/${hook.id}/test`, { type: 'invoice.paid' });
      const [request] = await hook.receiver.waitFor(1);
      expect(request?.id).to.equal(one.event_id);
      expect(request?.event).to.include({ type: 'invoice.paid', tenant_id: hook.tenantId });
      await bench.waitForStatus(hook, 'succeeded', 1);
      hook.receiver.respond = () => ({ status: 500 });
      const two = await postAction(hook, `/webhook-endpoints/${hook.id}/test`);
      const [failed] = await eventually('the test event to be exhausted', async () => {
        const found = await bench.listDeliveries(hook, '&status=exhausted');
        return found.length === 1 && found;
      });
      expect(failed).to.include({ id: two.id, attempts: 1, last_error: 'http_500', next_attempt_at: null });
    },

    async 'disabling an endpoint cancels its open deliveries and sends none of the waiting ones'() {
      const { respond, release } = holdResponses({ status: 500, delayMs: 500 });
      const hook = await bench.createHook({ max_in_flight: 1, respond });
      await bench.createEvents(hook.client, 4);
      await hook.receiver.waitFor(1);
      await bench.patchEndpoint(hook, { enabled: false });
      release();
      const found = await bench.waitForStatus(hook, 'cancelled', 4);
      const { length } = hook.receiver.requests;
      await pause(SOON_MS);
      expect(hook.receiver.requests).to.have.length(length);
      expect(length).to.be.below(3);
      for (const { next_attempt_at, completed_at } of found) {
        expect(next_attempt_at).to.equal(null);
        expect(completed_at).to.be.a('string');
      }
      const untouched = found.filter(({ attempts }) => attempts === 0);
      expect(untouched.map(({ last_error }) => last_error)).to.include('endpoint_disabled');
    },

    async 'deleting an endpoint cancels its open deliveries, and later events are not sent'() {
      const hook = await bench.createHook({ respond: () => ({ status: 500 }) });
      await bench.createEvents(hook.client, 2);
      await bench.waitForStatus(hook, 'failed', 2);
      expect((await hook.client.delete(`/webhook-endpoints/${hook.id}`)).status).to.equal(200);
      await bench.waitForStatus(hook, 'cancelled', 2);
      await bench.createEvent(hook.client);
      await pause(SOON_MS);
      expect(hook.receiver.requests).to.have.length(2);
    },
  };

  registerConcurrentTests(scenarios, { maxConcurrent: 8, timeoutMs: 30_000 });
});
