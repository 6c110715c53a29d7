import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { startApi } from '../../../api/start-api.js';
import { newId } from '../../../shared/platform/ids.js';
import { createFoundation, createRuntime } from '../../../shared/platform/process/runtime.js';
import { SseClient, type SseEvent, type SseOptions } from '../../support/network/sse-client.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';

const INSERT_EVENT_SQL = 'insert into events (tenant_id, id, type, body) values ($1, $2, $3, $4)';
const getEventIds = (events: SseEvent[]) => events.map(({ body }) => body.id as string);

describe('GET /stream', () => {
  const stack = useStack();
  let tenant: TestTenant;
  const clients: SseClient[] = [];

  beforeEach(async () => {
    tenant = await stack.createTenant();
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  const connect = async (
    options: SseOptions = {},
    { key = tenant.client.key, origin = stack.origin } = {},
  ) => {
    const client = await SseClient.connect(origin, key, options);
    clients.push(client);
    expect(client.status, client.text).to.equal(200);
    return client;
  };
  /** Returns an id with which a client can reconnect before it has received any event. */
  const currentId = async (): Promise<string> => {
    const client = await connect();
    const id = await eventually('an id to reconnect with', () => client.lastEventId);
    client.close();
    return id;
  };
  const post = async (client = tenant.client): Promise<string> => {
    const response = await client.post('/invoices', invoiceInput());
    expect(response.status, response.text).to.equal(201);
    return response.body.id;
  };
  const stored = (tenantId = tenant.id) =>
    stack.rows<{ id: string; type: string; body: string }>(
      tenantId,
      'select id, type, body from events where tenant_id = $1',
      [tenantId],
    );

  /** Records an event in a separate transaction that stays open until `released` resolves. */
  const recordSlowly = (released: Promise<unknown>, id = newId()): Promise<string> =>
    stack.runtime.db.transaction([tenant.id], async (tx) => {
      await tx.query({
        text: INSERT_EVENT_SQL,
        values: [tenant.id, id, 'test.slow', JSON.stringify({ id })],
      });
      await released;
      return id;
    });

  it('GET /stream sends a committed event with its stored body, its type and an id to reconnect with', async () => {
    const client = await connect();
    expect(client.headers).to.include({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(client.headers).to.include.keys(
      'x-request-id',
      'x-ratelimit-remaining',
      'ratelimit',
      'ratelimit-policy',
    );
    const invoiceId = await post();
    const [event] = await client.waitFor(1);
    const [row] = await stored();
    expect(client.text).to.include(`\nevent: invoice.created\ndata: ${row?.body}\n\n`);
    expect(event?.body.data.object.id).to.equal(invoiceId);
    expect(event?.id).to.match(new RegExp(`^\\d+-${row?.id}$`));
    expect(client.retry).to.equal(2000);
  });

  it('GET /stream starts with events committed after it opened, under both path prefixes', async () => {
    await post();
    const [first, second] = [await connect(), await connect({ prefix: '/api/v1' })];
    const invoiceId = await post();
    for (const client of [first, second]) {
      const events = await client.waitFor(1);
      expect(events.map(({ body }) => body.data.object.id)).to.deep.equal([invoiceId]);
    }
  });

  it('GET /stream sends a client that reconnects before its first event the events that it missed', async () => {
    const lastEventId = await currentId();
    const invoiceId = await post();
    const [event] = await (await connect({ lastEventId })).waitFor(1);
    expect(event?.body.data.object.id).to.equal(invoiceId);
  });

  it('GET /stream loses and repeats no event for a client that keeps reconnecting during writes', async () => {
    const from = await currentId();
    const received: SseEvent[] = [];
    let isDone = false;
    const takeTwenty = (event: SseEvent, client: SseClient) => {
      received.push(event);
      if (client.events.length === 20) client.close();
    };
    const followed = (async () => {
      let lastEventId: string | undefined = from;
      while (!isDone) {
        const client = await connect({ lastEventId, onEvent: takeTwenty });
        await eventually('20 events or the end of the test', () => isDone || client.events.length >= 20);
        client.close();
        lastEventId = client.lastEventId ?? lastEventId;
      }
    })();
    const writer = async () => {
      for (let nth = 0; nth < 10; nth += 1) await post();
    };
    // Keep transactions open for different times. So the sequence of their commits differs from the
    // sequence of their transaction numbers and event ids.
    const slowWriter = async () => {
      for (let nth = 0; nth < 10; nth += 1) await recordSlowly(pause(Math.random() * 120));
    };
    await Promise.all([...Array.from({ length: 20 }, writer), ...Array.from({ length: 3 }, slowWriter)]);
    const expected = (await stored()).map(({ id }) => id);
    expect(expected).to.have.length(230);
    await eventually('every event', () => received.length >= expected.length).finally(() => {
      isDone = true;
    });
    await followed;
    expect(getEventIds(received)).to.have.members(expected);
    expect(new Set(received.map(({ id }) => id)).size).to.equal(received.length);
  });

  it('GET /stream holds events back while an older transaction is open, and then sends its event too', async () => {
    const watching = await connect();
    await post();
    const [known] = await watching.waitFor(1);
    const barrier = new EventEmitter();
    const late = recordSlowly(once(barrier, 'open'));
    await eventually(
      'the open transaction',
      async () => (await stack.rows(tenant.id, OPEN_WRITERS_SQL)).length > 0,
    );
    for (let nth = 0; nth < 3; nth += 1) await post();
    const resumed = await connect({ lastEventId: known?.id });
    await pause(300);
    expect(
      [watching.events.length, resumed.events.length],
      'sent before the older transaction ended',
    ).to.deep.equal([1, 0]);
    barrier.emit('open');
    const lateId = await late;
    const expected = (await stored()).map(({ id }) => id).filter((id) => id !== known?.body.id);
    for (const client of [watching, resumed]) {
      const events = (await client.waitFor(client === watching ? 5 : 4)).slice(-4);
      expect(getEventIds(events)).to.have.members(expected).and.to.include(lateId);
    }
    // From any id, a client receives exactly the events after that id.
    for (const [index, { id }] of resumed.events.entries()) {
      const rest = await (await connect({ lastEventId: id })).waitFor(3 - index);
      expect(getEventIds(rest)).to.deep.equal(getEventIds(resumed.events.slice(index + 1)));
    }
  });

  it('GET /stream sends a client that was away for long all pages of missed events, sorted', async () => {
    const lastEventId = await currentId();
    await stack.rows(
      tenant.id,
      `insert into events (tenant_id, id, type, body)
       select $1, id, 'test.many', json_build_object('id', id, 'pad', repeat('x', 9000))
       from (select gen_random_uuid() as id from generate_series(1, 1001)) ids`,
      [tenant.id],
    );
    const events = await (await connect({ lastEventId })).waitFor(1001);
    expect(new Set(getEventIds(events)).size).to.equal(1001);
    expect(getEventIds(events)).to.deep.equal([...getEventIds(events)].sort());
  });

  it('GET /stream never shows an account the events of another account or of its own sandbox', async () => {
    const other = await stack.createTenant('Other');
    const mine = await connect();
    const others = await Promise.all([other.client, tenant.sandbox].map(({ key }) => connect({}, { key })));
    const foreign = [await post(other.client), await post(tenant.sandbox)];
    const own = await post();
    expect((await mine.waitFor(1))[0]?.body.data.object.id).to.equal(own);
    for (const [index, client] of others.entries()) {
      expect((await client.waitFor(1)).map(({ body }) => body.data.object.id)).to.deep.equal([
        foreign[index],
      ]);
    }
    // Resume with an id from another tenant's stream. The id is valid, because ids of all tenants
    // form one sequence. The stream must still show nothing of the other tenant.
    const [foreignEvent] = others[0]?.events ?? [];
    const resumed = await connect({ lastEventId: foreignEvent?.id });
    await post();
    await resumed.waitFor(1);
    for (const client of [mine, resumed])
      expect(client.text).to.not.include(other.id).and.not.include(tenant.sandboxId);
  });

  it('GET /stream sends only the event types chosen by the query parameter types', async () => {
    const chosen: Record<string, string[]> = {
      '': ['test.a', 'test.b', 'other.a'],
      '?types=*': ['test.a', 'test.b', 'other.a'],
      '?types=test.*': ['test.a', 'test.b'],
      '?types=test.b': ['test.b'],
      '?types=test.a,%20other.*': ['test.a', 'other.a'],
    };
    const streams = await Promise.all(
      Object.entries(chosen).map(async ([query, types]) => ({ types, client: await connect({ query }) })),
    );
    for (const type of ['test.a', 'test.b', 'other.a'])
      await stack.rows(tenant.id, INSERT_EVENT_SQL, [tenant.id, newId(), type, '{}']);
    // Open this stream last. Once all three events have arrived on it, the earlier streams have
    // handled the events too.
    const last = await (await connect({ lastEventId: streams[0]?.client.lastEventId })).waitFor(3);
    expect(last.map(({ type }) => type)).to.deep.equal(['test.a', 'test.b', 'other.a']);
    for (const { types, client } of streams)
      expect((await client.waitFor(types.length)).map(({ type }) => type)).to.deep.equal(types);
  });

  it('GET /stream prefers Last-Event-ID to last_event_id, because browsers reconnect to their first URL', async () => {
    const client = await connect();
    await post();
    await post();
    const [first, second] = await client.waitFor(2);
    const fromQuery = await connect({ query: `?last_event_id=${first?.id}` });
    expect(getEventIds(await fromQuery.waitFor(1))).to.deep.equal([second?.body.id]);
    const fromHeader = await connect({ query: `?last_event_id=${first?.id}`, lastEventId: second?.id });
    const third = await post();
    expect((await fromHeader.waitFor(1))[0]?.body.data.object.id).to.equal(third);
  });

  it('GET /stream works in every API process, also in one that receives no broadcast of commits', async () => {
    const { config, databaseUrl, neededSchema } = stack.runtime;
    // With Redis, both runtimes share a bus. With PostgreSQL alone, the second runtime has a
    // separate bus, gets no broadcasts, and finds events by polling.
    const runtime = createRuntime(createFoundation(config, 'second'), {
      name: 'second',
      databaseUrl,
      neededSchema,
    });
    const { port } = await startApi(runtime);
    try {
      const here = await connect();
      await post();
      const [first] = await here.waitFor(1);
      const there = await connect({ lastEventId: first?.id }, { origin: `http://127.0.0.1:${port}` });
      const second = await post();
      expect((await there.waitFor(1)).map(({ body }) => body.data.object.id)).to.deep.equal([second]);
    } finally {
      expect(await runtime.lifecycle.close(15_000)).to.equal(true);
    }
  });
});

/** Finds database sessions that have inserted an event but not committed. */
const OPEN_WRITERS_SQL = `select 1 from pg_locks where relation = 'events'::regclass and mode = 'RowExclusiveLock' and pid <> pg_backend_pid()`;
