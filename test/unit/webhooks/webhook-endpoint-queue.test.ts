import { expect } from 'chai';
import type { EndpointQueue } from '../../../workers/webhooks/queue/endpoint-queue.js';
import {
  buildDueDelivery,
  buildEndpointQueue,
  buildQueueHealth,
} from '../../support/webhooks/endpoint-queues.js';

const load = (queue: EndpointQueue, count: number) =>
  queue.load(Array.from({ length: count }, () => buildDueDelivery()));
/** Starts and finishes one delivery, and marks its outcome as stored. */
const sendOne = (queue: EndpointQueue, succeeded: boolean) => {
  load(queue, 1);
  const request = queue.startNext('quick');
  queue.finish(request, succeeded);
  queue.unstoredIds.delete(request.delivery.id);
};

describe('endpoint queue', () => {
  it('each success allows one more concurrent request, and each failure halves the number', () => {
    const queue = buildEndpointQueue({ maxInFlight: 6 });
    const limits = [true, true, true, true, true, true, false, false, true, false, false, false].map(
      (succeeded) => {
        sendOne(queue, succeeded);
        return queue.maxConcurrent;
      },
    );
    expect(limits).to.deep.equal([3, 4, 5, 6, 6, 6, 3, 1, 2, 1, 1, 1]);
  });

  it("the endpoint's own limit applies to concurrent requests, also right after a change", () => {
    const queue = buildEndpointQueue();
    for (let nth = 0; nth < 30; nth += 1) sendOne(queue, true);
    expect(queue.maxConcurrent).to.equal(20);
    queue.config.maxInFlight = 2;
    expect(queue.maxConcurrent).to.equal(2);
    load(queue, 5);
    queue.startNext('quick');
    expect(queue.getReadyInMs()).to.equal(0);
    queue.startNext('quick');
    expect(queue.getReadyInMs()).to.equal(undefined);
  });

  it('after the circuit breaker opened, requests go one at a time until a probe succeeds', () => {
    const queue = buildEndpointQueue({}, { openCount: 2, openUntil: Date.now() - 1 });
    load(queue, 3);
    expect([queue.maxConcurrent, queue.getReadyInMs()]).to.deep.equal([1, 0]);
    queue.startNext('quick');
    expect(queue.getReadyInMs()).to.equal(undefined);
  });

  it('the queue loads up to twice its concurrent requests', () => {
    const queue = buildEndpointQueue();
    expect(queue.maxToLoad).to.equal(4);
    load(queue, 3);
    expect(queue.maxToLoad).to.equal(1);
    load(queue, 3);
    expect(queue.maxToLoad).to.equal(0);
    queue.wake();
    expect(queue.needsLoad).to.equal(false);
    queue.startNext('quick');
    queue.startNext('quick');
    queue.startNext('quick');
    expect(queue.needsLoad).to.equal(true);
  });

  it('a rate limit spaces requests evenly', () => {
    const queue = buildEndpointQueue({ rateLimitPerSecond: 4 });
    load(queue, 3);
    expect(queue.getReadyInMs()).to.equal(0);
    const startedAt = performance.now();
    queue.startNext('quick');
    const readyIn = queue.getReadyInMs();
    expect(readyIn).to.be.within(250 - (performance.now() - startedAt), 250);
    const unlimited = buildEndpointQueue();
    load(unlimited, 2);
    unlimited.startNext('quick');
    expect(unlimited.getReadyInMs()).to.equal(0);
  });

  it('a paused queue waits for the end of its pause if it may have due deliveries', () => {
    const throttledUntil = Date.now() + 2000;
    const queue = buildEndpointQueue({}, { throttledUntil });
    expect(queue.getReadyInMs()).to.equal(undefined);
    queue.wake();
    const readyIn = queue.getReadyInMs();
    expect(readyIn).to.be.within(throttledUntil - Date.now(), 2000);
    expect(queue.needsLoad, 'the result would be stale after the pause').to.equal(false);
    expect(queue.isIdle, 'the lease is not needed during the pause').to.equal(true);
  });

  it('a stopped endpoint gets no requests', () => {
    const queue = buildEndpointQueue({}, { stopReason: 'gone' });
    load(queue, 1);
    queue.wake();
    expect([queue.getReadyInMs(), queue.maxToLoad, queue.isIdle]).to.deep.equal([undefined, 0, true]);
  });

  it('live deliveries go before replays, even before replays that are already loaded', () => {
    const queue = buildEndpointQueue();
    const [one, two, three, four] = [1, 0, 1, 0].map((priority) => buildDueDelivery({ priority }));
    queue.load([one, three] as never);
    queue.load([two, four] as never);
    expect(queue.backlog).to.deep.equal([two, four, one, three]);
  });

  it('deliveries count as held until their outcome is stored', () => {
    const queue = buildEndpointQueue();
    load(queue, 2);
    const ids = queue.heldDeliveryIds;
    const request = queue.startNext('quick');
    expect(queue.heldDeliveryIds).to.have.members(ids);
    queue.finish(request, true);
    expect(queue.heldDeliveryIds).to.have.members(ids);
    expect(queue.isQuiet).to.equal(false);
    queue.unstoredIds.delete(request.delivery.id);
    expect(queue.heldDeliveryIds).to.deep.equal([queue.backlog[0]?.id]);
    expect([queue.isQuiet, queue.isIdle]).to.deep.equal([true, false]);
    queue.unload();
    expect([queue.heldDeliveryIds, queue.mode]).to.deep.equal([[], 'behind']);
  });

  it('after an endpoint change, the queue reloads its health once no outcome is unstored', () => {
    const queue = buildEndpointQueue({}, { stopReason: 'gone' });
    queue.config = { ...queue.config, version: 'v2' };
    expect([queue.isHealthStale, queue.needsLoad]).to.deep.equal([true, true]);
    queue.unstoredIds.add('x');
    expect(queue.needsLoad).to.equal(false);
    queue.unstoredIds.clear();
    queue.health = buildQueueHealth();
    queue.healthVersion = 'v2';
    expect([queue.isHealthStale, queue.needsLoad]).to.deep.equal([false, false]);
  });
});
