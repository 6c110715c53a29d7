import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { mock } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { expect } from 'chai';
import type { FeedPage } from '../../../api/stream/event-feed.js';
import { EventFeed } from '../../../api/stream/event-feed.js';
import { EventStream } from '../../../api/stream/event-stream.js';
import {
  comparePositions,
  type EventPosition,
  positionBeforeTransaction,
} from '../../../shared/events/event-position.js';

/** A response whose socket the test can stall and drain. */
class FakeResponse extends EventEmitter {
  writableNeedDrain = false;
  isStalled = false;
  text = '';

  write(chunk: string): boolean {
    this.text += chunk;
    this.writableNeedDrain ||= this.isStalled;
    return !this.writableNeedDrain;
  }

  drain(): void {
    this.isStalled = false;
    this.writableNeedDrain = false;
    this.emit('drain');
  }

  end(): void {
    this.emit('close');
  }

  destroy(): void {}

  get sentNumbers(): number[] {
    return [...this.text.matchAll(/^id: (\d+)-.*\nevent/gm)].map(([, xid]) => Number(xid));
  }
}

const PAGE = 10;
const ID = '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e';

/** A fake store of the events 1, 2, 3, …, with one event per transaction. */
class FakeStore {
  count = 0;
  reads = 0;
  isUnreachable = false;
  token: string | undefined;

  readonly read = async (after: EventPosition): Promise<FeedPage> => {
    this.reads += 1;
    const { count } = this;
    await nextTick();
    if (this.isUnreachable) throw new Error('unreachable');
    const all = Array.from({ length: count }, (_, nth) => ({ xid: BigInt(nth + 1), id: ID }));
    const found = all.filter((position) => comparePositions(position, after) > 0).slice(0, PAGE);
    const hasMore = found.length === PAGE;
    return {
      events: found.map((position) => ({ position, type: 'test.x', body: '{}' })),
      position: hasMore ? (found.at(-1) as EventPosition) : positionBeforeTransaction(BigInt(count + 1)),
      hasMore,
      hasWithheldEvents: false,
      token: this.token,
    };
  };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, nth) => from + nth);
const drainTicks = async () => {
  for (let nth = 0; nth < 100; nth += 1) await nextTick();
};

describe('event stream', () => {
  let store: FakeStore;
  let feed: EventFeed;
  let failures: number;
  const streams: EventStream[] = [];

  beforeEach(() => {
    store = new FakeStore();
    failures = 0;
    feed = new EventFeed(store.read, () => {
      failures += 1;
    });
  });
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.end();
  });

  const open = (after: number, response = new FakeResponse(), types: string[] = []): FakeResponse => {
    const options = {
      tenantId: 't',
      keyId: 'k',
      credentialId: 'k',
      position: positionBeforeTransaction(BigInt(after + 1)),
      types,
      announcesChanges: true,
      isAllowed: async () => true,
      response: response as unknown as ServerResponse,
    };
    const onFailure = () => {
      failures += 1;
    };
    const issueToken = async () => undefined;
    const source = { feed, read: store.read, hasRoom: () => true, onFailure, issueToken };
    streams.push(new EventStream(options, source));
    return response;
  };
  const commit = (count: number) => {
    store.count += count;
    feed.wake();
  };

  it('a stream sends all pages of past events, then new events', async () => {
    store.count = 35;
    const response = open(3);
    await drainTicks();
    expect(response.sentNumbers).to.deep.equal(numbers(4, 35));
    commit(25);
    await drainTicks();
    expect(response.sentNumbers).to.deep.equal(numbers(4, 60));
  });

  it('a stream stops reading while its socket is full, keeps that page, and continues after drain', async () => {
    store.count = 100;
    const response = new FakeResponse();
    response.isStalled = true;
    open(0, response);
    await drainTicks();
    // The first bytes of the stream filled the socket, so the stream has not read any events.
    expect(store.reads).to.equal(0);
    response.drain();
    response.isStalled = true;
    await drainTicks();
    expect(response.sentNumbers).to.deep.equal(numbers(1, PAGE));
    expect(store.reads).to.equal(1);
    response.drain();
    await drainTicks();
    expect(response.sentNumbers).to.deep.equal(numbers(1, 100));
  });

  it('a stream with a full socket leaves the feed, so that no other stream waits for it', async () => {
    const [slow, fast] = [open(0), open(0)];
    await drainTicks();
    slow.isStalled = true;
    for (let nth = 0; nth < 5; nth += 1) {
      commit(PAGE - 1);
      await drainTicks();
    }
    const all = numbers(1, 5 * (PAGE - 1));
    expect(fast.sentNumbers).to.deep.equal(all);
    expect(slow.sentNumbers).to.deep.equal(numbers(1, PAGE - 1));
    slow.drain();
    await drainTicks();
    expect(slow.sentNumbers).to.deep.equal(all);
  });

  it('streams that have caught up share one read', async () => {
    const all = numbers(1, 20).map(() => open(0));
    await drainTicks();
    const before = store.reads;
    commit(3);
    await drainTicks();
    expect(store.reads - before).to.equal(1);
    for (const response of all) expect(response.sentNumbers).to.deep.equal([1, 2, 3]);
  });

  it('a stream misses and repeats no event under any interleaving of joins, commits, stalls and ends', async () => {
    const responses: { from: number; response: FakeResponse }[] = [];
    for (let round = 0; round < 400; round += 1) {
      const roll = Math.random();
      if (roll < 0.15) {
        const from = Math.floor(Math.random() * (store.count + 1));
        responses.push({ from, response: open(from) });
      } else if (roll < 0.3) {
        const one = responses[Math.floor(Math.random() * responses.length)];
        if (one?.response.writableNeedDrain) one.response.drain();
        else if (one) one.response.isStalled = true;
      } else if (roll < 0.35) {
        streams[Math.floor(Math.random() * streams.length)]?.end();
      } else if (roll < 0.7) {
        commit(Math.ceil(Math.random() * 2 * PAGE));
      }
      for (let nth = Math.random() * 4; nth > 0; nth -= 1) await nextTick();
    }
    for (const { response } of responses) response.drain();
    await drainTicks();
    for (let nth = 0; nth < 50; nth += 1) await drainTicks();
    let completeCount = 0;
    for (const { from, response } of responses) {
      const { sentNumbers } = response;
      expect(sentNumbers).to.deep.equal(numbers(from + 1, from + sentNumbers.length));
      if (from + sentNumbers.length === store.count) completeCount += 1;
    }
    expect(completeCount).to.be.at.least(streams.filter((stream) => !isOver(stream)).length);
    expect(failures).to.equal(0);
  });

  it('a stream sends a ping with its position every 15 seconds, except into a full socket', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const response = open(0, new FakeResponse(), ['other.*']);
      await drainTicks();
      const initialText = response.text;
      mock.timers.tick(14_999);
      expect(response.text).to.equal(initialText);
      mock.timers.tick(1);
      expect(response.text).to.equal(`${initialText}: ping\n\n`);
      // A ping sends the stream's position, which advances even for events that the filter
      // excludes.
      commit(7);
      await drainTicks();
      mock.timers.tick(15_000);
      const idField = 'id: 8-00000000-0000-0000-0000-000000000000\n';
      expect(response.text).to.equal(`${initialText}: ping\n\n: ping\n${idField}\n`);
      response.isStalled = true;
      mock.timers.tick(15_000);
      const { text } = response;
      mock.timers.tick(60_000);
      expect(response.text).to.equal(text);
    } finally {
      mock.timers.reset();
    }
  });

  it('a stream continues when the unreachable store is available again', async () => {
    store.count = 5;
    const live = open(0);
    await drainTicks();
    store.isUnreachable = true;
    commit(5);
    await drainTicks();
    expect(failures).to.equal(1);
    store.isUnreachable = false;
    feed.requestRead();
    await drainTicks();
    expect(live.sentNumbers).to.deep.equal(numbers(1, 10));
  });

  it('an event stream announces many changes at once, and none to a client that does not read', async () => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
    try {
      const response = open(0);
      const countChanges = () => response.text.split('event: changed\n').length - 1;
      for (let nth = 0; nth < 100; nth += 1) streams[0]?.announceChange('all');
      mock.timers.tick(0);
      await drainTicks();
      expect(countChanges()).to.equal(1);
      for (let nth = 0; nth < 100; nth += 1) streams[0]?.announceChange('all');
      mock.timers.tick(499);
      await drainTicks();
      expect(countChanges()).to.equal(1);
      mock.timers.tick(1);
      await drainTicks();
      expect(countChanges()).to.equal(2);
      response.writableNeedDrain = true;
      streams[0]?.announceChange('all');
      mock.timers.tick(1000);
      await drainTicks();
      expect(countChanges()).to.equal(2);
      expect(response.text).to.not.match(/event: changed\nid:/);
    } finally {
      mock.timers.reset();
    }
  });

  it('an event stream sends the token of a page before the events of the page', async () => {
    store.token = 'token 1';
    store.count = 1;
    const response = open(0);
    await drainTicks();
    expect(response.text).to.match(
      /event: changed\ndata: {"consistency_token":"token 1"}\n\nid: .+\nevent: test\.x/,
    );
  });
});

function isOver(stream: EventStream): boolean {
  return (stream as unknown as { isStopped: boolean }).isStopped;
}
