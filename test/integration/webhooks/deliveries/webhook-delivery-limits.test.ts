import { expect } from 'chai';
import { registerConcurrentTests } from '../../../support/concurrent-tests.js';
import { eventually } from '../../../support/poll.js';
import { IS_SCALED } from '../../../support/stores.js';
import { type Hook, holdResponses, pause, useWebhookBench } from '../endpoints/webhook-fixture.js';

/** With Redis two workers run, because several processes must share an endpoint's limits. */
const WORKERS = IS_SCALED ? 2 : 1;
/**
 * Requests may take different times to arrive. So two arrivals may be closer together than the two
 * sends, but only by this much, unless the machine stalls.
 */
const JITTER_MS = 60;
/** Tolerance for times in the log, which are truncated to milliseconds. */
const ROUNDED_MS = 2;

describe(`limits of webhook endpoints (workers: ${WORKERS})`, () => {
  const bench = useWebhookBench({}, WORKERS);

  const expectOnce = (hook: Hook, ids: string[]) =>
    expect(hook.receiver.requests.map(({ id }) => id)).to.have.members(ids);

  /** Returns when each attempt started, according to the log. */
  const readStartTimes = async ({ tenantId, id }: Hook): Promise<number[]> => {
    const text =
      'select started_at from webhook_attempts where tenant_id = $1 and endpoint_id = $2 order by started_at';
    const rows = await bench.stack.rows<{ started_at: Date }>(tenantId, text, [tenantId, id]);
    return rows.map(({ started_at }) => started_at.getTime());
  };

  const scenarios: Record<string, () => Promise<void>> = {
    async 'rate_limit_per_second holds on the wire in any period of a second'() {
      const hook = await bench.createHook({ rate_limit_per_second: 10 });
      // Create the events in two parts, so that wake-ups arrive while the worker is sending.
      const ids = await bench.createEvents(hook.client, 8);
      await pause(300);
      ids.push(...(await bench.createEvents(hook.client, 8)));
      await bench.waitForStatus(hook, 'succeeded', 16);
      expectOnce(hook, ids);
      const sent = await readStartTimes(hook);
      const { arrivals } = hook.receiver;
      for (const [index, at] of sent.slice(0, -10).entries()) {
        expect((sent[index + 10] ?? 0) - at).to.be.at.least(1000 - ROUNDED_MS);
        // If a request arrived late, the time to the next arrivals is shorter by this delay.
        const heldUp = Math.max(JITTER_MS, (arrivals[index] ?? 0) - at);
        expect((arrivals[index + 10] ?? 0) - (arrivals[index] ?? 0)).to.be.at.least(1000 - heldUp);
      }
    },

    async 'max_in_flight holds on the wire and is fully used'() {
      const hook = await bench.createHook({ max_in_flight: 3, respond: () => ({ delayMs: 150 }) });
      const ids = await bench.createEvents(hook.client, 8);
      await pause(200);
      ids.push(...(await bench.createEvents(hook.client, 8)));
      await bench.waitForStatus(hook, 'succeeded', 16);
      expect(hook.receiver.maxInFlight).to.equal(3);
      expectOnce(hook, ids);
    },

    async 'a new endpoint gets two concurrent requests at first, and more once requests have succeeded'() {
      const { respond, release } = holdResponses({ delayMs: 600 });
      const hook = await bench.createHook({ max_in_flight: 20, respond });
      const ids = await bench.createEvents(hook.client, 12);
      await hook.receiver.waitFor(2);
      await pause(400);
      expect(hook.receiver.maxInFlight, 'at first').to.equal(2);
      release();
      await bench.waitForStatus(hook, 'succeeded', 12);
      expect(hook.receiver.maxInFlight, 'later').to.be.above(2);
      expectOnce(hook, ids);
    },

    async 'changed limits apply from the next deliveries on'() {
      const hook = await bench.createHook({ rate_limit_per_second: 1 });
      const ids = await bench.createEvents(hook.client, 12);
      await hook.receiver.waitFor(2);
      await bench.patchEndpoint(hook, { rate_limit_per_second: null, max_in_flight: 2 });
      hook.receiver.respond = () => ({ delayMs: 50 });
      hook.receiver.maxInFlight = 0;
      await eventually('all to arrive', () => hook.receiver.requests.length === 12, 5000);
      expect(hook.receiver.maxInFlight).to.be.at.most(2);
      expectOnce(hook, ids);
    },

    async 'many endpoints of many accounts each receive every event once'() {
      const hooks = await Promise.all(
        Array.from({ length: 6 }, () => bench.createHook({ max_in_flight: 2 })),
      );
      const ids = await Promise.all(hooks.map((hook) => bench.createEvents(hook.client, 10)));
      await Promise.all(hooks.map((hook) => bench.waitForStatus(hook, 'succeeded', 10)));
      await pause(300);
      for (const [index, hook] of hooks.entries()) {
        expectOnce(hook, ids[index] ?? []);
        expect(hook.receiver.maxInFlight).to.be.at.most(2);
      }
    },
  };

  if (IS_SCALED)
    scenarios['workers broadcast new deliveries, so the worker with the lease sends them immediately'] =
      async () => {
        const hook = await bench.createHook();
        for (let nth = 1; nth <= 20; nth += 1) {
          await bench.createEvent(hook.client);
          // The worker renews its lease only after 4 s, which is longer than this timeout. So only
          // a broadcast makes the worker send in time.
          await eventually(`event ${nth} to arrive`, () => hook.receiver.requests.length === nth, 2000);
        }
      };

  registerConcurrentTests(scenarios, { maxConcurrent: 6, timeoutMs: 30_000 });
});
