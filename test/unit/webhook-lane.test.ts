import { expect } from 'chai';
import type { Lane } from '../../workers/webhooks/lane.js';
import { dueDelivery, newHealth, newLane } from '../support/webhook-lanes.js';

const load = (queue: Lane, count: number) => queue.load(Array.from({ length: count }, () => dueDelivery()));
/** Sends one delivery and stores its outcome. */
const sendOne = (queue: Lane, succeeded: boolean) => {
  load(queue, 1);
  const request = queue.begin('quick');
  queue.end(request, succeeded);
  queue.unrecorded.delete(request.delivery.id);
};

describe('endpoint queue', () => {
  it('each success allows one more concurrent request, and each failure halves the number', () => {
    const queue = newLane({ maxInFlight: 6 });
    const limits = [true, true, true, true, true, true, false, false, true, false, false, false].map(
      (succeeded) => {
        sendOne(queue, succeeded);
        return queue.limit;
      },
    );
    expect(limits).to.deep.equal([3, 4, 5, 6, 6, 6, 3, 1, 2, 1, 1, 1]);
  });

  it("the endpoint's own limit applies to concurrent requests, also right after a change", () => {
    const queue = newLane();
    for (let nth = 0; nth < 30; nth += 1) sendOne(queue, true);
    expect(queue.limit).to.equal(20);
    queue.config.maxInFlight = 2;
    expect(queue.limit).to.equal(2);
    load(queue, 5);
    queue.begin('quick');
    expect(queue.readyIn()).to.equal(0);
    queue.begin('quick');
    expect(queue.readyIn()).to.equal(undefined);
  });

  it('after the circuit breaker opened, requests go one at a time until a probe succeeds', () => {
    const queue = newLane({}, { opened: 2, openUntil: Date.now() - 1 });
    load(queue, 3);
    expect([queue.limit, queue.readyIn()]).to.deep.equal([1, 0]);
    queue.begin('quick');
    expect(queue.readyIn()).to.equal(undefined);
  });

  it('the queue loads up to twice its concurrent requests', () => {
    const queue = newLane();
    expect(queue.room).to.equal(4);
    load(queue, 3);
    expect(queue.room).to.equal(1);
    load(queue, 3);
    expect(queue.room).to.equal(0);
    queue.isDirty = true;
    expect(queue.wantsLook).to.equal(false);
    queue.begin('quick');
    queue.begin('quick');
    queue.begin('quick');
    expect(queue.wantsLook).to.equal(true);
  });

  it('a rate limit spaces requests evenly', () => {
    const queue = newLane({ rateLimitPerSecond: 4 });
    load(queue, 3);
    expect(queue.readyIn()).to.equal(0);
    const startedAt = performance.now();
    queue.begin('quick');
    const readyIn = queue.readyIn();
    expect(readyIn).to.be.within(250 - (performance.now() - startedAt), 250);
    const unlimited = newLane();
    load(unlimited, 2);
    unlimited.begin('quick');
    expect(unlimited.readyIn()).to.equal(0);
  });

  it('a paused queue waits for the end of its pause if it may have due deliveries', () => {
    const throttledUntil = Date.now() + 2000;
    const queue = newLane({}, { throttledUntil });
    expect(queue.readyIn()).to.equal(undefined);
    queue.isDirty = true;
    const readyIn = queue.readyIn();
    expect(readyIn).to.be.within(throttledUntil - Date.now(), 2000);
    expect(queue.wantsLook, 'the result would be stale after the pause').to.equal(false);
    expect(queue.isIdle, 'the lease is not needed during the pause').to.equal(true);
  });

  it('a stopped endpoint gets no requests', () => {
    const queue = newLane({}, { stopReason: 'gone' });
    load(queue, 1);
    queue.isDirty = true;
    expect([queue.readyIn(), queue.room, queue.isIdle]).to.deep.equal([undefined, 0, true]);
  });

  it('live deliveries go before replays, even before replays that are already loaded', () => {
    const queue = newLane();
    const [one, two, three, four] = [1, 0, 1, 0].map((priority) => dueDelivery({ priority }));
    queue.load([one, three] as never);
    queue.load([two, four] as never);
    expect(queue.backlog).to.deep.equal([two, four, one, three]);
  });

  it('deliveries count as held until their outcome is stored', () => {
    const queue = newLane();
    load(queue, 2);
    const ids = queue.known;
    const request = queue.begin('quick');
    expect(queue.known).to.have.members(ids);
    queue.end(request, true);
    expect(queue.known).to.have.members(ids);
    expect(queue.isQuiet).to.equal(false);
    queue.unrecorded.delete(request.delivery.id);
    expect(queue.known).to.deep.equal([queue.backlog[0]?.id]);
    expect([queue.isQuiet, queue.isIdle]).to.deep.equal([true, false]);
    queue.unload();
    expect([queue.known, queue.isDirty]).to.deep.equal([[], true]);
  });

  it('after an endpoint change, the queue reloads its health once no outcome is unstored', () => {
    const queue = newLane({}, { stopReason: 'gone' });
    queue.config = { ...queue.config, version: 'v2' };
    expect([queue.isHealthStale, queue.wantsLook]).to.deep.equal([true, true]);
    queue.unrecorded.add('x');
    expect(queue.wantsLook).to.equal(false);
    queue.unrecorded.clear();
    queue.health = newHealth();
    queue.healthVersion = 'v2';
    expect([queue.isHealthStale, queue.wantsLook]).to.deep.equal([false, false]);
  });
});
