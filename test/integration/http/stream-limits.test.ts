import { expect } from 'chai';
import { request } from 'undici';
import { expectError } from '../../support/expect-error.js';
import { SseClient, type SseOptions } from '../../support/network/sse-client.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import { createUser, openSession } from '../../support/records/sign-in.js';
import { useOwnStack, useStack, useTenant } from '../../support/use-stack.js';

const MAX_STREAMS = 20;

describe('GET /stream: permissions, limits and the end of streams', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  const clients: SseClient[] = [];

  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  const connect = async (key = tenant.client.key, options: SseOptions = {}) => {
    const client = await SseClient.connect(stack.origin, key, options);
    clients.push(client);
    return client;
  };
  const refusal = (query = '', headers: Record<string, string> = {}, key = tenant.client.key) =>
    stack.createClient(key).get(`/stream${query}`, { headers });
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
    it(`GET /stream refuses the invalid event id "${id}" in the header and in the query`, async () => {
      const [inHeader] = expectError(await refusal('', { 'last-event-id': id }), 400, 'validation_error');
      expect(inHeader).to.include({ field: 'Last-Event-ID', code: 'invalid' });
      const [inQuery] = expectError(await refusal(`?last_event_id=${id}`), 400, 'validation_error');
      expect(inQuery).to.include({ field: 'last_event_id', code: 'invalid' });
    });
  }

  for (const xid of ['4611686018427387904', '99999999999999999999']) {
    it(`GET /stream refuses an event id with transaction ${xid} of another database, which would stay silent forever`, async () => {
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
    it(`GET /stream refuses the types filter "${types}"`, async () => {
      const [problem] = expectError(await refusal(`?types=${types}`), 400, 'validation_error');
      expect(problem?.field).to.equal('types');
    });
  }

  it('GET /stream refuses a types filter that is sent twice', async () => {
    expectError(await refusal('?types=invoice.*&types=work_order.*'), 400, 'validation_error');
  });

  it('GET /stream requires the permission read and refuses agents, because it shows every kind of record', async () => {
    const writer = await stack.createKey(tenant.id, { permissions: ['write', 'approve', 'admin'] });
    expectError(await refusal('', {}, writer), 403, 'insufficient_scope');
    const agent = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_dispatch'] });
    expectError(await refusal('', {}, agent), 403, 'forbidden');
    expectError(await refusal('', {}, `${agent}x`), 401, 'unauthorized');
    const reader = await stack.createKey(tenant.id, { permissions: ['read'], readOnly: true });
    expect((await connect(reader)).status).to.equal(200);
  });

  it('GET /stream responds 406 to Accept: application/json, and sends JSON errors to event stream clients', async () => {
    expectError(await refusal('', { accept: 'application/json' }), 406, 'not_acceptable');
    expectError(await refusal('?types=x', { accept: 'text/event-stream' }), 400, 'validation_error');
  });

  it('HEAD /stream responds with headers only and ends', async () => {
    const response = await tenant.client.send('HEAD', '/stream');
    expect(response.status).to.equal(200);
    expect(response.headers['content-type']).to.equal('text/event-stream');
    expect(response.text).to.equal('');
  });

  it(`GET /stream allows ${MAX_STREAMS} open streams per key; closing one allows another, and other keys are unaffected`, async () => {
    await eventually('no stream is open', async () => (await openStreams()) === 0);
    const key = await stack.createKey(tenant.id);
    const open = await Promise.all(Array.from({ length: MAX_STREAMS }, () => connect(key)));
    expect(open.map(({ status }) => status)).to.deep.equal(open.map(() => 200));
    const [detail] = expectError(await refusal('', {}, key), 429, 'rate_limited');
    expect(detail).to.deep.equal({ limit: MAX_STREAMS });
    expect((await connect()).status).to.equal(200);
    expect(await openStreams()).to.equal(MAX_STREAMS + 1);
    open[0]?.close();
    await eventually('another stream is accepted', async () => (await connect(key)).status === 200);
    for (const client of clients) client.close();
    await eventually('all streams end', async () => (await openStreams()) === 0);
  });

  it('GET /stream counts as one request of the rate limit', async () => {
    const before = await connect();
    const after = await connect();
    const left = (client: SseClient) => Number(client.headers['x-ratelimit-remaining']);
    expect(left(before) - left(after)).to.equal(1);
  });

  it('GET /stream ends when its key is revoked', async () => {
    const { body: made } = await tenant.client.post('/api-keys', { name: 'short', permissions: ['read'] });
    const [revoked, other] = [await connect(made.key), await connect()];
    expect((await tenant.client.delete(`/api-keys/${made.id}`)).status).to.equal(200);
    await revoked.waitForEnd(5000);
    expect(other.hasEnded).to.equal(false);
    expectError(await refusal('', {}, made.key), 401, 'unauthorized');
  });

  it('GET /stream ends when its key is revoked without a broadcast', async () => {
    const key = await stack.createKey(tenant.id);
    const client = await connect(key);
    const { id } = (await stack.createClient(key).get('/me')).body.key;
    await stack.rows(tenant.id, 'update api_keys set revoked_at = now() where id = $1', [id]);
    // The API caches a key for up to four seconds. The stream ends when the API reads the key
    // again.
    await client.waitForEnd(8000);
  });

  it('GET /stream ends when its key expires', async () => {
    const expiresAt = new Date(Date.now() + 1500).toISOString();
    const client = await connect(await stack.createKey(tenant.id, { expiresAt }));
    expect(client.status).to.equal(200);
    await client.waitForEnd(5000);
  });

  it("GET /stream ends within 5 s of its session's sign-out, and the user's other sessions keep their streams", async () => {
    const user = await createUser(stack, tenant.id);
    const [earlier, leaving, later] = [
      await openSession(stack, user),
      await openSession(stack, user),
      await openSession(stack, user),
    ];
    const streamOf = ({ defaultHeaders }: typeof leaving) =>
      connect('', { cookie: defaultHeaders.cookie as string });
    const [before, own, after] = [await streamOf(earlier), await streamOf(leaving), await streamOf(later)];
    expect([before.status, own.status, after.status]).to.deep.equal([200, 200, 200]);
    expect((await leaving.delete('/session')).status).to.equal(200);
    await own.waitForEnd(5000);
    expect([before.hasEnded, after.hasEnded]).to.deep.equal([false, false]);
    expect((await tenant.client.post('/invoices', invoiceInput())).status).to.equal(201);
    for (const staying of [before, after]) await staying.waitFor(1);
  });
});

describe('GET /stream: ended database sessions and the end of the process', () => {
  const stack = useOwnStack();
  const clients: SseClient[] = [];

  after(() => {
    for (const client of clients) client.close();
  });

  const connect = async (key: string) => {
    const client = await SseClient.connect(stack.origin, key);
    clients.push(client);
    return client;
  };

  it('GET /stream continues at its position after PostgreSQL has ended all sessions', async () => {
    const { client } = await stack.createTenant();
    const reader = await connect(client.key);
    await stack.runAsOwner(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    );
    const made = await eventually('a write succeeds', async () => {
      const response = await client.post('/invoices', invoiceInput());
      return response.status === 201 && (response.body.id as string);
    });
    const [event] = await reader.waitFor(1);
    expect(event?.body.data.object.id).to.equal(made);
  });

  it('a process that closes ends GET /stream and waits for neither listening nor stalled clients', async () => {
    const { id, client } = await stack.createTenant();
    const [listening, stalled] = [await connect(client.key), await connect(client.key)];
    stalled.pauseReading();
    await stack.rows(
      id,
      `insert into events (tenant_id, id, type, body)
       select $1, gen_random_uuid(), 'test.many', json_build_object('pad', repeat('x', 50000)) from generate_series(1, 1000)`,
      [id],
    );
    await listening.waitFor(1000);
    expect(await stack.runtime.lifecycle.close(15_000)).to.equal(true);
    await listening.waitForEnd();
  });
});
