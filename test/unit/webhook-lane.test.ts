import { expect } from 'chai';
import type { Lane } from '../../workers/webhooks/lane.js';
import { dueDelivery, newHealth, newLane } from '../support/webhook-lanes.js';

const load = (lane: Lane, count: number) => lane.load(Array.from({ length: count }, () => dueDelivery()));
/** Sends one and stores what came of it. */
const sendOne = (lane: Lane, succeeded: boolean) => {
  load(lane, 1);
  const flight = lane.begin('quick');
  lane.end(flight, succeeded);
  lane.unrecorded.delete(flight.delivery.id);
};

describe('lane', () => {
  it('may have one more request at a time after each success, half as many after a failure', () => {
    const lane = newLane({ maxInFlight: 6 });
    const limits = [true, true, true, true, true, true, false, false, true, false, false, false].map(
      (succeeded) => {
        sendOne(lane, succeeded);
        return lane.limit;
      },
    );
    expect(limits).to.deep.equal([3, 4, 5, 6, 6, 6, 3, 1, 2, 1, 1, 1]);
  });

  it('has never more under way than its endpoint says, also when that has just been changed', () => {
    const lane = newLane();
    for (let nth = 0; nth < 30; nth += 1) sendOne(lane, true);
    expect(lane.limit).to.equal(20);
    lane.config.maxInFlight = 2;
    expect(lane.limit).to.equal(2);
    load(lane, 5);
    lane.begin('quick');
    expect(lane.readyIn()).to.equal(0);
    lane.begin('quick');
    expect(lane.readyIn()).to.equal(undefined);
  });

  it('sends one at a time until a probe has succeeded', () => {
    const lane = newLane({}, { opened: 2, openUntil: Date.now() - 1 });
    load(lane, 3);
    expect([lane.limit, lane.readyIn()]).to.deep.equal([1, 0]);
    lane.begin('quick');
    expect(lane.readyIn()).to.equal(undefined);
  });

  it('loads twice as much as may be under way, less what it has', () => {
    const lane = newLane();
    expect(lane.room).to.equal(4);
    load(lane, 3);
    expect(lane.room).to.equal(1);
    load(lane, 3);
    expect(lane.room).to.equal(0);
    lane.isDirty = true;
    expect(lane.wantsLook).to.equal(false);
    lane.begin('quick');
    lane.begin('quick');
    lane.begin('quick');
    expect(lane.wantsLook).to.equal(true);
  });

  it('spaces requests evenly under a rate limit', () => {
    const lane = newLane({ rateLimitPerSecond: 4 });
    load(lane, 3);
    expect(lane.readyIn()).to.equal(0);
    const startedAt = performance.now();
    lane.begin('quick');
    const readyIn = lane.readyIn();
    expect(readyIn).to.be.within(250 - (performance.now() - startedAt), 250);
    const free = newLane();
    load(free, 2);
    free.begin('quick');
    expect(free.readyIn()).to.equal(0);
  });

  it('waits for the end of a pause though nothing is loaded, when there may be something', () => {
    const throttledUntil = Date.now() + 2000;
    const lane = newLane({}, { throttledUntil });
    expect(lane.readyIn()).to.equal(undefined);
    lane.isDirty = true;
    const readyIn = lane.readyIn();
    expect(readyIn).to.be.within(throttledUntil - Date.now(), 2000);
    expect(lane.wantsLook, 'by then it would be stale').to.equal(false);
    expect(lane.isIdle, 'nobody needs to hold it so long').to.equal(true);
  });

  it('sends nothing to an endpoint that wants no more', () => {
    const lane = newLane({}, { stopReason: 'gone' });
    load(lane, 1);
    lane.isDirty = true;
    expect([lane.readyIn(), lane.room, lane.isIdle]).to.deep.equal([undefined, 0, true]);
  });

  it('sends live deliveries before replays, also those that are loaded already', () => {
    const lane = newLane();
    const [one, two, three, four] = [1, 0, 1, 0].map((priority) => dueDelivery({ priority }));
    lane.load([one, three] as never);
    lane.load([two, four] as never);
    expect(lane.backlog).to.deep.equal([two, four, one, three]);
  });

  it('knows what it has in hand until that is stored', () => {
    const lane = newLane();
    load(lane, 2);
    const ids = lane.known;
    const flight = lane.begin('quick');
    expect(lane.known).to.have.members(ids);
    lane.end(flight, true);
    expect(lane.known).to.have.members(ids);
    expect(lane.isQuiet).to.equal(false);
    lane.unrecorded.delete(flight.delivery.id);
    expect(lane.known).to.deep.equal([lane.backlog[0]?.id]);
    expect([lane.isQuiet, lane.isIdle]).to.deep.equal([true, false]);
    lane.unload();
    expect([lane.known, lane.isDirty]).to.deep.equal([[], true]);
  });

  it('wants its state read again when its endpoint was changed, once it is at rest', () => {
    const lane = newLane({}, { stopReason: 'gone' });
    lane.config = { ...lane.config, version: 'v2' };
    expect([lane.isHealthStale, lane.wantsLook]).to.deep.equal([true, true]);
    lane.unrecorded.add('x');
    expect(lane.wantsLook).to.equal(false);
    lane.unrecorded.clear();
    lane.health = newHealth();
    lane.healthVersion = 'v2';
    expect([lane.isHealthStale, lane.wantsLook]).to.deep.equal([false, false]);
  });
});
