import { expect } from 'chai';
import { eventually } from '../support/poll.js';
import { sideBySide } from '../support/side-by-side.js';
import { IS_SCALED } from '../support/stores.js';
import { type Hook, held, pause, WebhookBench } from './webhook-fixture.js';

/** Several processes share an endpoint's limits. */
const WORKERS = IS_SCALED ? 2 : 1;
/** What the way over the wire can bring together, while nothing stalls. */
const JITTER_MS = 60;
/** Times of the log are cut off to a millisecond. */
const ROUNDED_MS = 2;

describe(`limits of webhook endpoints, with ${WORKERS} workers`, () => {
  let bench: WebhookBench;

  before(async () => {
    bench = await WebhookBench.start({}, WORKERS);
  });
  after(() => bench.stop());

  const expectOnce = (hook: Hook, ids: string[]) =>
    expect(hook.receiver.requests.map(({ id }) => id)).to.have.members(ids);

  /** When each attempt left, by the log. */
  const sentAt = async ({ tenantId, id }: Hook): Promise<number[]> => {
    const text =
      'select started_at from webhook_attempts where tenant_id = $1 and endpoint_id = $2 order by started_at';
    const rows = await bench.stack.rows<{ started_at: Date }>(tenantId, text, [tenantId, id]);
    return rows.map(({ started_at }) => started_at.getTime());
  };

  const scenarios: Record<string, () => Promise<void>> = {
    async 'rate_limit_per_second holds on the wire, in any second'() {
      const hook = await bench.hook({ rate_limit_per_second: 10 });
      // In parts, so that several wakes come while it is at work.
      const ids = await bench.events(hook.client, 8);
      await pause(300);
      ids.push(...(await bench.events(hook.client, 8)));
      await bench.allIn(hook, 'succeeded', 16);
      expectOnce(hook, ids);
      const sent = await sentAt(hook);
      const { arrivals } = hook.receiver;
      for (const [index, at] of sent.slice(0, -10).entries()) {
        expect((sent[index + 10] ?? 0) - at).to.be.at.least(1000 - ROUNDED_MS);
        // One that was itself held up on its way comes nearer to those behind it, by that much.
        const heldUp = Math.max(JITTER_MS, (arrivals[index] ?? 0) - at);
        expect((arrivals[index + 10] ?? 0) - (arrivals[index] ?? 0)).to.be.at.least(1000 - heldUp);
      }
    },

    async 'max_in_flight holds on the wire, and is made use of'() {
      const hook = await bench.hook({ max_in_flight: 3, respond: () => ({ delayMs: 150 }) });
      const ids = await bench.events(hook.client, 8);
      await pause(200);
      ids.push(...(await bench.events(hook.client, 8)));
      await bench.allIn(hook, 'succeeded', 16);
      expect(hook.receiver.maxInFlight).to.equal(3);
      expectOnce(hook, ids);
    },

    async 'a new endpoint proves itself before it gets all at once'() {
      const { respond, release } = held({ delayMs: 600 });
      const hook = await bench.hook({ max_in_flight: 20, respond });
      const ids = await bench.events(hook.client, 12);
      await hook.receiver.waitFor(2);
      await pause(400);
      expect(hook.receiver.maxInFlight, 'at first').to.equal(2);
      release();
      await bench.allIn(hook, 'succeeded', 12);
      expect(hook.receiver.maxInFlight, 'later').to.be.above(2);
      expectOnce(hook, ids);
    },

    async 'changed limits hold from the next deliveries on'() {
      const hook = await bench.hook({ rate_limit_per_second: 1 });
      const ids = await bench.events(hook.client, 12);
      await hook.receiver.waitFor(2);
      await bench.patch(hook, { rate_limit_per_second: null, max_in_flight: 2 });
      hook.receiver.respond = () => ({ delayMs: 50 });
      hook.receiver.maxInFlight = 0;
      await eventually('all to arrive', () => hook.receiver.requests.length === 12, 5000);
      expect(hook.receiver.maxInFlight).to.be.at.most(2);
      expectOnce(hook, ids);
    },

    async 'many endpoints of many tenants each get everything once'() {
      const hooks = await Promise.all(Array.from({ length: 6 }, () => bench.hook({ max_in_flight: 2 })));
      const ids = await Promise.all(hooks.map((hook) => bench.events(hook.client, 10)));
      await Promise.all(hooks.map((hook) => bench.allIn(hook, 'succeeded', 10)));
      await pause(300);
      for (const [index, hook] of hooks.entries()) {
        expectOnce(hook, ids[index] ?? []);
        expect(hook.receiver.maxInFlight).to.be.at.most(2);
      }
    },
  };

  if (IS_SCALED)
    scenarios['workers tell each other of new work at once, whoever has the lane'] = async () => {
      const hook = await bench.hook();
      for (let nth = 1; nth <= 20; nth += 1) {
        await bench.event(hook.client);
        // Less than it would take until the owner renews its lease.
        await eventually(`event ${nth} to arrive`, () => hook.receiver.requests.length === nth, 2000);
      }
    };

  sideBySide(scenarios, { atOnce: 6, timeoutMs: 30_000 });
});
