import { expect } from 'chai';
import { request } from 'undici';
import { expectError } from '../support/expect-error.js';
import { eventually } from '../support/poll.js';
import { invoiceInput } from '../support/samples.js';
import { createUser, signIn } from '../support/sign-in.js';
import { SseClient, type SseOptions } from '../support/sse-client.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const MAX_STREAMS = 20;

describe('GET /stream: who may, how many, how long', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  const clients: SseClient[] = [];

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });
  after(() => stack.stop());

  const connect = async (key = tenant.client.key, options: SseOptions = {}, origin = stack.origin) => {
    const client = await SseClient.connect(origin, key, options);
    clients.push(client);
    return client;
  };
  const refusal = (query = '', headers: Record<string, string> = {}, key = tenant.client.key) =>
    stack.clientWith(key).get(`/stream${query}`, { headers });
  const openStreams = async () =>
    Number(
      /^tow_event_streams (\d+)$/m.exec(await (await request(`${stack.origin}/metrics`)).body.text())?.[1],
    );

  const UUID = '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e';
  for (const id of [
    'x',
    '1',
    `-${UUID}`,
    `1-${UUID}0`,
    `-1-${UUID}`,
    `1.5-${UUID}`,
    `${'9'.repeat(21)}-${UUID}`,
    UUID,
    `1-${'z'.repeat(36)}`,
  ]) {
    it(`refuses "${id}", which is no id of a stream, from the header and from the query`, async () => {
      const [inHeader] = expectError(await refusal('', { 'last-event-id': id }), 400, 'validation_error');
      expect(inHeader).to.include({ field: 'Last-Event-ID', code: 'invalid' });
      const [inQuery] = expectError(await refusal(`?last_event_id=${id}`), 400, 'validation_error');
      expect(inQuery).to.include({ field: 'last_event_id', code: 'invalid' });
    });
  }

  for (const xid of ['4611686018427387904', '99999999999999999999']) {
    it(`refuses an id of another database, of the transaction ${xid}: it would wait in silence for ever`, async () => {
      expectError(await refusal('', { 'last-event-id': `${xid}-${UUID}` }), 400, 'validation_error');
    });
  }

  for (const types of [
    '',
    'invoice',
    'invoice.',
    '.paid',
    'invoice.*,',
    '**',
    'Invoice.paid',
    'invoice.*.x',
  ]) {
    it(`refuses the filter "${types}"`, async () => {
      const [fault] = expectError(await refusal(`?types=${types}`), 400, 'validation_error');
      expect(fault?.field).to.equal('types');
    });
  }

  it('refuses a filter that is given twice', async () => {
    expectError(await refusal('?types=invoice.*&types=work_order.*'), 400, 'validation_error');
  });

  it('takes the permission read, and no agent: it shows every kind of record', async () => {
    const writer = await stack.createKey(tenant.id, { permissions: ['write', 'approve', 'admin'] });
    expectError(await refusal('', {}, writer), 403, 'insufficient_scope');
    const agent = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_dispatch'] });
    expectError(await refusal('', {}, agent), 403, 'forbidden');
    expectError(await refusal('', {}, `${agent}x`), 401, 'unauthorized');
    const reader = await stack.createKey(tenant.id, { permissions: ['read'], readOnly: true });
    expect((await connect(reader)).status).to.equal(200);
  });

  it('is refused to who does not take server-sent events, and errors are JSON to who does', async () => {
    expectError(await refusal('', { accept: 'application/json' }), 406, 'not_acceptable');
    expectError(await refusal('?types=x', { accept: 'text/event-stream' }), 400, 'validation_error');
  });

  it('answers HEAD with the head alone, and ends', async () => {
    const answer = await tenant.client.send('HEAD', '/stream');
    expect(answer.status).to.equal(200);
    expect(answer.headers['content-type']).to.equal('text/event-stream');
    expect(answer.text).to.equal('');
  });

  it(`has ${MAX_STREAMS} open for a key at most; one that ends makes room, and other keys have their own`, async () => {
    const key = await stack.createKey(tenant.id);
    const open = await Promise.all(Array.from({ length: MAX_STREAMS }, () => connect(key)));
    expect(open.map(({ status }) => status)).to.deep.equal(open.map(() => 200));
    const [detail] = expectError(await refusal('', {}, key), 429, 'rate_limited');
    expect(detail).to.deep.equal({ limit: MAX_STREAMS });
    expect((await connect()).status).to.equal(200);
    expect(await openStreams()).to.equal(MAX_STREAMS + 1);
    open[0]?.close();
    await eventually('room', async () => (await connect(key)).status === 200);
    for (const client of clients) client.close();
    await eventually('the end of all', async () => (await openStreams()) === 0);
  });

  it('counts as one request', async () => {
    const before = await connect();
    const after = await connect();
    const left = (client: SseClient) => Number(client.headers['x-ratelimit-remaining']);
    expect(left(before) - left(after)).to.equal(1);
  });

  it('ends when its key is revoked', async () => {
    const { body: made } = await tenant.client.post('/api-keys', { name: 'short', permissions: ['read'] });
    const [revoked, other] = [await connect(made.key), await connect()];
    expect((await tenant.client.delete(`/api-keys/${made.id}`)).status).to.equal(200);
    await revoked.waitForEnd(5000);
    expect(other.hasEnded).to.equal(false);
    expectError(await refusal('', {}, made.key), 401, 'unauthorized');
  });

  it('ends when its key is revoked and nobody says so', async () => {
    const key = await stack.createKey(tenant.id);
    const client = await connect(key);
    const { id } = (await stack.clientWith(key).get('/me')).body.key;
    await stack.rows(tenant.id, 'update api_keys set revoked_at = now() where id = $1', [id]);
    // What is cached of a key is up to four seconds old.
    await client.waitForEnd(8000);
  });

  it('ends when its key expires', async () => {
    const expiresAt = new Date(Date.now() + 1500).toISOString();
    const client = await connect(await stack.createKey(tenant.id, { expiresAt }));
    expect(client.status).to.equal(200);
    await client.waitForEnd(5000);
  });

  it('ends within 5 s of the sign-out of its own session, and streams of other sessions of that person go on', async () => {
    const user = await createUser(stack, tenant.id);
    const [earlier, leaving, later] = [
      await signIn(stack, user),
      await signIn(stack, user),
      await signIn(stack, user),
    ];
    const streamOf = ({ always }: typeof leaving) => connect('', { cookie: always.cookie as string });
    const [before, own, after] = [await streamOf(earlier), await streamOf(leaving), await streamOf(later)];
    expect([before.status, own.status, after.status]).to.deep.equal([200, 200, 200]);
    expect((await leaving.delete('/session')).status).to.equal(200);
    await own.waitForEnd(5000);
    expect([before.hasEnded, after.hasEnded]).to.deep.equal([false, false]);
    expect((await tenant.client.post('/invoices', invoiceInput())).status).to.equal(201);
    for (const staying of [before, after]) await staying.waitFor(1);
  });

  it('goes on where it was when the database comes back', async () => {
    const client = await connect();
    await stack.asOwner(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    );
    const made = await eventually('a write', async () => {
      const answer = await tenant.client.post('/invoices', invoiceInput());
      return answer.status === 201 && (answer.body.id as string);
    });
    const [event] = await client.waitFor(1);
    expect(event?.body.data.object.id).to.equal(made);
  });

  it('ends with the process, which waits for no client: neither for one that listens nor for one that has stalled', async () => {
    const own = await TestStack.start();
    const { id, client } = await own.createTenant();
    const [listening, stalled] = [
      await connect(client.key, {}, own.origin),
      await connect(client.key, {}, own.origin),
    ];
    stalled.stall();
    await own.rows(
      id,
      `insert into events (tenant_id, id, type, body)
       select $1, gen_random_uuid(), 'test.many', json_build_object('pad', repeat('x', 50000)) from generate_series(1, 1000)`,
      [id],
    );
    await listening.waitFor(1000);
    await own.stop();
    await listening.waitForEnd();
  });
});
