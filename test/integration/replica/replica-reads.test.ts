import { expect } from 'chai';
import { NewestPosition } from '../../../shared/platform/replica/newest-position.js';
import { ReplicaReads } from '../../../shared/platform/replica/replica-reads.js';
import { openWritesQueue } from '../../../shared/queues/writes.js';
import type { TestResponse } from '../../support/client.js';
import { SseClient, type SseEvent } from '../../support/network/sse-client.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useReplicatedStack } from '../../support/replica/replicated-stack.js';
import type { TestStack, TestTenant } from '../../support/stack.js';

/** How a request sends tokens, and a response its own. */
const HEADER = 'x-service-consistency-token';

describe('lists from a replica', function () {
  this.timeout(120_000);
  const replicated = useReplicatedStack();
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    ({ stack } = replicated);
    tenant = await stack.createTenant();
    await eventually(
      'the replica to be read',
      async () => (await listAfter(await write())).source === 'replica',
    );
  });

  const readToken = ({ headers }: TestResponse): string => String(headers[HEADER]);
  const create = () => tenant.client.post('/invoices', invoiceInput());
  const write = async () => readToken(await create());

  /** Returns how many reads had each outcome so far. */
  const countReads = async (): Promise<Record<string, number>> => {
    const { values } = await stack.runtime.metrics.replicaReads.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]));
  };
  /** Reads a path with tokens. `source` is `primary` if the replica was not tried. */
  const readAfter = async (tokens: string | undefined, path: string, { client } = tenant) => {
    const before = await countReads();
    const response = await client.get(path, tokens ? { headers: { [HEADER]: tokens } } : {});
    expect(response.status).to.equal(200);
    const after = await countReads();
    const sources = Object.keys(after).filter((outcome) => after[outcome] !== (before[outcome] ?? 0));
    return { body: response.body, source: sources.join() || 'primary' };
  };
  const listAfter = async (tokens: string | undefined, of: TestTenant = tenant) => {
    const { body, source } = await readAfter(tokens, '/invoices?limit=200', of);
    return { ids: body.data.items.map(({ id }: { id: string }) => id) as string[], source };
  };
  const waitForReplay = (tokens: string) =>
    eventually('the replica to have the write', async () => (await listAfter(tokens)).source === 'replica');

  it('a list with the token of a write is read from the replica, and includes the write', async () => {
    const created = await create();
    await waitForReplay(readToken(created));
    const { ids, source } = await listAfter(readToken(created));
    expect([source, ids[0]]).to.deep.equal(['replica', created.body.id]);
  });

  it('a list with a token that the replica lacks is read from the primary, and includes the write', async () => {
    const earlier = await write();
    await waitForReplay(earlier);
    await replicated.whileBehind(async () => {
      const created = await create();
      const withToken = await listAfter(readToken(created));
      expect([withToken.source, withToken.ids[0]]).to.deep.equal(['behind', created.body.id]);
      const withEarlier = await listAfter(earlier);
      expect([withEarlier.source, withEarlier.ids.includes(created.body.id)]).to.deep.equal([
        'replica',
        false,
      ]);
      const withBoth = await listAfter(`${readToken(created)}, ${earlier}`);
      expect([withBoth.source, withBoth.ids[0]]).to.deep.equal(['behind', created.body.id]);
      const without = await listAfter(undefined);
      expect([without.source, without.ids[0]]).to.deep.equal(['primary', created.body.id]);
    });
  });

  it('the dispatch board is read from the replica once it has the write', async () => {
    const created = await tenant.client.post('/work-orders', { service_type: 'tow' });
    const token = readToken(created);
    await waitForReplay(token);
    const { body, source } = await readAfter(token, '/dispatch-board?expand=names');
    const ids = body.unassigned_work_orders.map(({ id }: { id: string }) => id);
    expect([source, ids]).to.deep.equal(['replica', [created.body.id]]);
    await replicated.whileBehind(async () => {
      const second = await tenant.client.post('/work-orders', { service_type: 'lockout' });
      const board = await readAfter(readToken(second), '/dispatch-board');
      expect(board.source).to.equal('behind');
      expect(board.body.counts.unassigned_work_orders).to.equal(2);
    });
  });

  it('the replica shows no account the records of another one', async () => {
    const other = await stack.createTenant('Other Towing');
    const token = await write();
    await waitForReplay(token);
    const { ids, source } = await listAfter(token, other);
    expect([source, ids]).to.deep.equal(['replica', []]);
  });

  it('a single record, a preview and a refused write have no token', async () => {
    const created = await create();
    const preview = await tenant.client.post('/invoices', invoiceInput(), {
      headers: { 'x-service-dry-run': 'true' },
    });
    const refused = await tenant.client.post('/invoices', {});
    const record = await tenant.client.get(`/invoices/${created.body.id}`);
    expect([preview, refused, record].map(({ status, headers }) => [status, headers[HEADER]])).to.deep.equal([
      [200, undefined],
      [400, undefined],
      [200, undefined],
    ]);
  });

  it('the outcome of a write that was committed late has the token that its 202 lacks', async () => {
    const queue = openWritesQueue(stack.runtime);
    await queue.pause();
    const accepted = await create();
    expect([accepted.status, accepted.headers[HEADER]]).to.deep.equal([202, undefined]);
    await replicated.whileBehind(async () => {
      await queue.resume();
      const outcome = await eventually('the write to be committed', async () => {
        const response = await tenant.client.get(`/operations/${accepted.body.data.operation_id}`);
        return response.body.status === 'succeeded' && response;
      });
      const { ids, source } = await listAfter(readToken(outcome));
      expect([source, ids[0]]).to.deep.equal(['behind', outcome.body.result.id]);
    });
  });

  it('a malformed token is refused, and one of another deployment reads the primary', async () => {
    const malformed = await tenant.client.get('/invoices', { headers: { [HEADER]: 'v1.x' } });
    expect([malformed.status, malformed.body.error.details[0].field]).to.deep.equal([
      400,
      'X-Service-Consistency-Token',
    ]);
    const token = await write();
    const tooMany = await tenant.client.get('/invoices', {
      headers: { [HEADER]: Array(21).fill(token).join() },
    });
    expect(tooMany.status).to.equal(400);
    const foreign = token.replace(/^v1\../, (start) => (start === 'v1.A' ? 'v1.B' : 'v1.A'));
    expect((await listAfter(foreign)).source).to.equal('unavailable');
  });

  it('a replica on an earlier timeline is not read, whatever its position', async () => {
    const { db, primary, logger, config } = stack.runtime;
    const newest = new NewestPosition(db, primary);
    const outcomes: string[] = [];
    const reads = new ReplicaReads({
      db,
      readPosition: () => newest.read(),
      databaseUrl: replicated.replicaUrl,
      poolSize: 2,
      applicationName: 'test',
      logger,
      count: (outcome) => outcomes.push(outcome),
    });
    try {
      const position = await newest.read();
      const start = { ...position, lsn: '0/1' };
      const read = (positions: (typeof position)[]) =>
        reads.after(positions).read<{ one: number }>(tenant.id, { text: 'select 1 as one' });
      await eventually('the replica to be read', async () => {
        expect(await read([start])).to.deep.equal([{ one: 1 }]);
        return outcomes.includes('replica');
      });
      outcomes.length = 0;
      const promoted = { ...start, timeline: position.timeline + 1 };
      expect(await read([promoted])).to.deep.equal([{ one: 1 }]);
      expect(await read([start, promoted])).to.deep.equal([{ one: 1 }]);
      expect(await read([{ ...start, systemIdentifier: '1' }])).to.deep.equal([{ one: 1 }]);
      expect(outcomes, `of a primary at ${config.databaseReplicaUrl}`).to.deep.equal([
        'behind',
        'unavailable',
        'unavailable',
      ]);
    } finally {
      reads.close();
    }
  });

  it('while the replica hangs, lists come from the primary; afterwards the replica is read again', async () => {
    const token = await write();
    await waitForReplay(token);
    replicated.replica.suspend();
    try {
      // The first reads may wait until the process notices.
      const [first] = await Promise.all([listAfter(token), listAfter(token)]);
      expect(first.source).to.equal('failed');
      const created = await create();
      const later = await listAfter(readToken(created));
      expect([later.source, later.ids[0]]).to.deep.equal(['unavailable', created.body.id]);
    } finally {
      replicated.replica.resume();
    }
    await waitForReplay(await write());
  });

  it('a list waits two seconds for a hanging server behind the address of the replica, and is then read from the primary', async () => {
    const token = await write();
    await waitForReplay(token);
    const sessions = await replicated.queryReplica<{ pid: number }>(
      "select pid from pg_stat_activity where application_name = 'tow-replica-reads'",
    );
    expect(sessions).to.not.deep.equal([]);
    const signalAll = (signal: NodeJS.Signals) =>
      sessions.forEach(({ pid }) => void process.kill(pid, signal));
    signalAll('SIGSTOP');
    try {
      const created = await create();
      const hung = await listAfter(readToken(created));
      expect([hung.source, hung.ids[0]]).to.deep.equal(['failed', created.body.id]);
      expect((await listAfter(token)).source).to.equal('unavailable');
      // New connections lead to a server that answers.
      await waitForReplay(token);
    } finally {
      signalAll('SIGCONT');
    }
  });

  it('a replica that is more than ten seconds behind is not read, not even with an old token', async () => {
    const token = await write();
    await waitForReplay(token);
    await replicated.whileBehind(async () => {
      const created = await create();
      await eventually(
        'the replica to count as too old',
        async () => (await listAfter(token)).source === 'unavailable',
      );
      expect((await listAfter(token)).ids[0]).to.equal(created.body.id);
    });
    await waitForReplay(token);
  });

  it('a stream with changes carries a token before the events that it stands for', async () => {
    const stream = await SseClient.connect(stack.origin, tenant.client.key, { query: '?changes=true' });
    try {
      await replicated.whileBehind(async () => {
        const created = await create();
        const isCreated = ({ body }: SseEvent) => body.data?.object.id === created.body.id;
        await eventually('the event', async () => stream.events.some(isCreated));
        const before = stream.events.slice(0, stream.events.findIndex(isCreated));
        const token = before.findLast(({ type }) => type === 'changed')?.body.consistency_token;
        const { ids, source } = await listAfter(token);
        expect([source, ids[0]]).to.deep.equal(['behind', created.body.id]);
      });
    } finally {
      stream.close();
    }
  });
});
