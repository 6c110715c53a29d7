import { expect } from 'chai';
import { eventually } from '../support/poll.js';
import { sideBySide } from '../support/side-by-side.js';
import { IS_SCALED } from '../support/stores.js';
import { type Hook, pause, WebhookBench } from './webhook-fixture.js';

/** Several processes share an endpoint's limits. */
const WORKERS = IS_SCALED ? 2 : 1;
/** What the way over the wire can bring together. */
const JITTER_MS = 60;

describe(`limits of webhook endpoints, with ${WORKERS} workers`, () => {
  let bench: WebhookBench;

  before(async () => {
    bench = await WebhookBench.start({}, WORKERS);
  });
  after(async () => {
    await bench.stop();
    expect(bench.receiver.faults).to.deep.equal([]);
  });

  const expectOnce = (hook: Hook, ids: string[]) =>
    expect(hook.receiver.requests.map(({ id }) => id)).to.have.members(ids);

  const scenarios: Record<string, () => Promise<void>> = {
    async 'rate_limit_per_second holds on the wire, in any second'() {
      const hook = await bench.hook({ rate_limit_per_second: 10 });
      // In parts, so that several wakes come while it is at work.
      const ids = await bench.events(hook.client, 8);
      await pause(300);
      ids.push(...(await bench.events(hook.client, 8)));
      await bench.allIn(hook, 'succeeded', 16);
      const { arrivals } = hook.receiver;
      for (const [index, at] of arrivals.entries()) {
        const tenLater = arrivals[index + 10];
        if (tenLater !== undefined) expect(tenLater - at).to.be.at.least(1000 - JITTER_MS);
      }
      expectOnce(hook, ids);
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
      const hook = await bench.hook({ max_in_flight: 20, respond: () => ({ delayMs: 600 }) });
      const made = bench.events(hook.client, 12);
      await hook.receiver.waitFor(1);
      await pause(400);
      expect(hook.receiver.maxInFlight, 'at first').to.be.at.most(2);
      const ids = await made;
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
