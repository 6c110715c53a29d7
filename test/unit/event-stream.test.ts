import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { EventFeed } from '../../api/stream/event-feed.js';
import { EventStream } from '../../api/stream/event-stream.js';
import {
  beforeTransaction,
  comparePositions,
  type EventPosition,
} from '../../shared/events/event-position.js';
import type { EventPage } from '../../shared/events/read-events.js';

/** An answer whose socket takes what it is told to take. */
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

  get told(): number[] {
    return [...this.text.matchAll(/^id: (\d+)-.*\nevent/gm)].map(([, xid]) => Number(xid));
  }
}

const PAGE = 10;
const ID = '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e';

/** A store of events 1, 2, 3 … with one event per transaction. */
class FakeStore {
  count = 0;
  reads = 0;
  isAway = false;

  readonly read = async (after: EventPosition): Promise<EventPage> => {
    this.reads += 1;
    const { count } = this;
    await turn();
    if (this.isAway) throw new Error('away');
    const all = Array.from({ length: count }, (_, nth) => ({ xid: BigInt(nth + 1), id: ID }));
    const found = all.filter((position) => comparePositions(position, after) > 0).slice(0, PAGE);
    const hasMore = found.length === PAGE;
    return {
      events: found.map((position) => ({ position, type: 'test.x', body: '{}' })),
      position: hasMore ? (found.at(-1) as EventPosition) : beforeTransaction(BigInt(count + 1)),
      hasMore,
      isHeldBack: false,
    };
  };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, nth) => from + nth);
const settle = async () => {
  for (let nth = 0; nth < 100; nth += 1) await turn();
};

describe('an event stream', () => {
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
      position: beforeTransaction(BigInt(after + 1)),
      types,
      isAllowed: async () => true,
      response: response as unknown as ServerResponse,
    };
    const onFailure = () => {
      failures += 1;
    };
    streams.push(new EventStream(options, { feed, read: store.read, hasRoom: () => true, onFailure }));
    return response;
  };
  const commit = (count: number) => {
    store.count += count;
    feed.wake();
  };

  it('reads all pages of the past and goes on with what comes', async () => {
    store.count = 35;
    const response = open(3);
    await settle();
    expect(response.told).to.deep.equal(numbers(4, 35));
    commit(25);
    await settle();
    expect(response.told).to.deep.equal(numbers(4, 60));
  });

  it('reads nothing while the socket is full, keeps the page that filled it, and goes on when it drains', async () => {
    store.count = 100;
    const response = new FakeResponse();
    response.isStalled = true;
    open(0, response);
    await settle();
    // Its greeting filled the socket.
    expect(store.reads).to.equal(0);
    response.drain();
    response.isStalled = true;
    await settle();
    expect(response.told).to.deep.equal(numbers(1, PAGE));
    expect(store.reads).to.equal(1);
    response.drain();
    await settle();
    expect(response.told).to.deep.equal(numbers(1, 100));
  });

  it('leaves the feed when its socket is full, and nobody else waits for it', async () => {
    const [slow, fast] = [open(0), open(0)];
    await settle();
    slow.isStalled = true;
    for (let nth = 0; nth < 5; nth += 1) {
      commit(PAGE - 1);
      await settle();
    }
    const all = numbers(1, 5 * (PAGE - 1));
    expect(fast.told).to.deep.equal(all);
    expect(slow.told).to.deep.equal(numbers(1, PAGE - 1));
    slow.drain();
    await settle();
    expect(slow.told).to.deep.equal(all);
  });

  it('shares one read with all that have caught up', async () => {
    const all = numbers(1, 20).map(() => open(0));
    await settle();
    const before = store.reads;
    commit(3);
    await settle();
    expect(store.reads - before).to.equal(1);
    for (const response of all) expect(response.told).to.deep.equal([1, 2, 3]);
  });

  it('misses nothing and repeats nothing, however joins, commits, full sockets and ends fall together', async () => {
    const responses: { from: number; response: FakeResponse }[] = [];
    for (let round = 0; round < 400; round += 1) {
      const dice = Math.random();
      if (dice < 0.15) {
        const from = Math.floor(Math.random() * (store.count + 1));
        responses.push({ from, response: open(from) });
      } else if (dice < 0.3) {
        const one = responses[Math.floor(Math.random() * responses.length)];
        if (one?.response.writableNeedDrain) one.response.drain();
        else if (one) one.response.isStalled = true;
      } else if (dice < 0.35) {
        streams[Math.floor(Math.random() * streams.length)]?.end();
      } else if (dice < 0.7) {
        commit(Math.ceil(Math.random() * 2 * PAGE));
      }
      for (let nth = Math.random() * 4; nth > 0; nth -= 1) await turn();
    }
    for (const { response } of responses) response.drain();
    await settle();
    for (let nth = 0; nth < 50; nth += 1) await settle();
    let whole = 0;
    for (const { from, response } of responses) {
      const { told } = response;
      expect(told).to.deep.equal(numbers(from + 1, from + told.length));
      if (from + told.length === store.count) whole += 1;
    }
    expect(whole).to.be.at.least(streams.filter((stream) => !isOver(stream)).length);
    expect(failures).to.equal(0);
  });

  it('tells every 15 seconds that it lives, and how far it has read, but not into a full socket', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const response = open(0, new FakeResponse(), ['other.*']);
      await settle();
      const greeting = response.text;
      mock.timers.tick(14_999);
      expect(response.text).to.equal(greeting);
      mock.timers.tick(1);
      expect(response.text).to.equal(`${greeting}: ping\n\n`);
      // What is not for this client moves the place to come back to all the same.
      commit(7);
      await settle();
      mock.timers.tick(15_000);
      const place = 'id: 8-00000000-0000-0000-0000-000000000000\n';
      expect(response.text).to.equal(`${greeting}: ping\n\n: ping\n${place}\n`);
      response.isStalled = true;
      mock.timers.tick(15_000);
      const { text } = response;
      mock.timers.tick(60_000);
      expect(response.text).to.equal(text);
    } finally {
      mock.timers.reset();
    }
  });

  it('goes on when the store that was away comes back', async () => {
    store.count = 5;
    const live = open(0);
    await settle();
    store.isAway = true;
    commit(5);
    await settle();
    expect(failures).to.equal(1);
    store.isAway = false;
    feed.look();
    await settle();
    expect(live.told).to.deep.equal(numbers(1, 10));
  });
});

function isOver(stream: EventStream): boolean {
  return (stream as unknown as { isOver: boolean }).isOver;
}
