import { expect } from 'chai';
import { newId } from '../../shared/platform/ids.js';
import type { Answer, TestClient } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { eventually } from '../support/poll.js';
import { invoiceInput, UNKNOWN_ID } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const RECORD = [
  ...['id', 'kind', 'name', 'prefix', 'last_four', 'permissions', 'scopes', 'read_only', 'tier'],
  ...['created_at', 'expires_at', 'revoked_at', 'last_used_at'],
];
const HOUR_MS = 3_600_000;
/** Shorter than a credential stays cached: what happens within it was announced. */
const ANNOUNCED_MS = 3000;

describe('API keys', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
  });
  after(() => stack.stop());

  /** Makes a key by the API: its record with `key`, and a client that holds it. */
  const make = async (body: Record<string, unknown> = {}, by = tenant.client) => {
    const answer = await by.post('/api-keys', { name: 'Dispatch', ...body });
    expect(answer.status, answer.text).to.equal(201);
    return { record: answer.body, client: stack.clientWith(answer.body.key) };
  };
  const roll = async (id: string, body?: unknown) => {
    const answer = await tenant.client.post(`/api-keys/${id}/roll`, body);
    expect(answer.status, answer.text).to.equal(201);
    return { record: answer.body, client: stack.clientWith(answer.body.key) };
  };
  const get = async (id: string): Promise<Answer['body']> =>
    (await tenant.client.get(`/api-keys/${id}`)).body;
  const meStatus = async (client: TestClient) => (await client.get('/me')).status;
  const isRefused = (client: TestClient, timeoutMs: number) =>
    eventually('the key is refused', async () => (await meStatus(client)) === 401, timeoutMs);

  it('are created with the right to read and write, and nothing else unless asked', async () => {
    const { record, client } = await make();
    expect(record).to.have.all.keys(...RECORD, 'key');
    expect(record).to.deep.include({
      kind: 'api',
      permissions: ['read', 'write'],
      read_only: false,
      tier: null,
    });
    expect(record).to.include({ expires_at: null, revoked_at: null, last_used_at: null, prefix: 'tk_live_' });
    expect((await client.post('/invoices', invoiceInput())).status).to.equal(201);
    expect(expectError(await client.get('/api-keys'), 403, 'insufficient_scope')).to.deep.equal([
      { required: 'admin' },
    ]);
  });

  it('do what their permissions say and no more', async () => {
    const { client } = await make({ permissions: ['read'] });
    expect((await client.get('/invoices')).status).to.equal(200);
    const refused = await client.post('/invoices', invoiceInput());
    expect(expectError(refused, 403, 'insufficient_scope')).to.deep.equal([{ required: 'write' }]);
    const admin = await make({ permissions: ['admin'] });
    expect((await admin.client.get('/api-keys')).status).to.equal(200);
    expectError(await admin.client.get('/invoices'), 403, 'insufficient_scope');
  });

  it('that are read-only keep no permission but read, whatever else was asked for', async () => {
    const { record, client } = await make({ read_only: true, permissions: ['read', 'write', 'admin'] });
    expect(record).to.deep.include({ read_only: true, permissions: ['read'] });
    expect((await client.get('/invoices')).status).to.equal(200);
    expectError(await client.post('/invoices', invoiceInput()), 403, 'read_only_key');
  });

  it('show the key in the answer that made it and nowhere else, and store only its hash', async () => {
    const { record } = await make();
    const made = [record.key, (await roll(record.id)).record.key] as string[];
    const stored = ['api_keys', 'audit_entries', 'events', 'idempotency_keys', 'operations'].map((table) =>
      stack.rows<{ text: string }>(
        tenant.id,
        `select to_jsonb(t)::text as text from ${table} t where tenant_id = $1`,
        [tenant.id],
      ),
    );
    const places = (await Promise.all(stored)).flat().map(({ text }) => text);
    places.push((await tenant.client.get(`/api-keys/${record.id}`)).text);
    places.push((await tenant.client.get('/api-keys?limit=200')).text);
    expect(places.filter((text) => made.some((key) => text.includes(key)))).to.deep.equal([]);
    expect(await get(record.id)).to.have.all.keys(...RECORD);
    const text = `select encode(key_hash, 'hex') = encode(sha256($2::text::bytea), 'hex') as fits from api_keys where tenant_id = $3 and id = $1`;
    expect(await stack.rows(tenant.id, text, [record.id, record.key, tenant.id])).to.deep.equal([
      { fits: true },
    ]);
    expect(record.last_four).to.equal(record.key.slice(-4));
  });

  it('of a sandbox are test keys, and neither twin sees those of the other', async () => {
    const { record } = await make({}, tenant.sandbox);
    expect(record.key).to.match(/^tk_test_/);
    expect((await stack.clientWith(record.key).get('/me')).body.tenant).to.include({ id: tenant.sandboxId });
    for (const path of [`/api-keys/${record.id}`, `/api-keys/${UNKNOWN_ID}`, '/api-keys/none'])
      expectError(await tenant.client.get(path), 404, 'not_found');
    expectError(await tenant.client.delete(`/api-keys/${record.id}`), 404, 'not_found');
    expectError(await tenant.client.post(`/api-keys/${record.id}/roll`), 404, 'not_found');
    expect(await meStatus(stack.clientWith(record.key))).to.equal(200);
  });

  it('are listed newest first, ended ones too, without those of agents and other tenants', async () => {
    const own = await stack.createTenant('Lister');
    await stack.createKey(own.id, { kind: 'agent', scopes: ['read_invoices'] });
    const names = ['one', 'two', 'three'];
    const ids = [];
    for (const name of names) ids.push((await make({ name }, own.client)).record.id);
    await own.client.delete(`/api-keys/${ids[1]}`);
    const list = await own.client.get('/api-keys');
    const items = list.body.data.items as Record<string, unknown>[];
    expect(items.map(({ name }) => name)).to.deep.equal(['three', 'two', 'one', 'test key']);
    expect(items.map(({ revoked_at }) => revoked_at !== null)).to.deep.equal([false, true, false, false]);
    const first = await own.client.get('/api-keys?limit=2');
    const rest = await own.client.get(`/api-keys?limit=2&cursor=${first.body.data.cursor}`);
    expect([...first.body.data.items, ...rest.body.data.items]).to.deep.equal(items);
  });

  it('end at expires_at, though they were in use until then', async () => {
    const expires_at = new Date(Date.now() + 2000).toISOString();
    const { record, client } = await make({ expires_at });
    expect(record.expires_at).to.equal(expires_at);
    expect(await meStatus(client)).to.equal(200);
    await isRefused(client, ANNOUNCED_MS);
    expect(Date.now()).to.be.at.least(Date.parse(expires_at));
    expectError(await tenant.client.post(`/api-keys/${record.id}/roll`), 409, 'conflict');
  });

  it('say when they were last used', async () => {
    const startedAt = Date.now();
    const { record, client } = await make();
    expect((await get(record.id)).last_used_at).to.equal(null);
    await client.get('/me');
    const used = await eventually(
      'last_used_at is set',
      async () => (await get(record.id)).last_used_at ?? undefined,
    );
    expect(Date.parse(used as string)).to.be.within(startedAt, Date.now());
  });

  describe('revoked', () => {
    it('are refused at once, keep their record, and can be revoked again without a change', async () => {
      const { record, client } = await make();
      expect(await meStatus(client)).to.equal(200);
      const answer = await tenant.client.delete(`/api-keys/${record.id}`);
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body).to.have.all.keys(...RECORD);
      expect(answer.body.revoked_at).to.be.a('string');
      await isRefused(client, ANNOUNCED_MS);
      const again = await tenant.client.delete(`/api-keys/${record.id}`);
      expect([again.status, again.body.revoked_at]).to.deep.equal([200, answer.body.revoked_at]);
      expectError(await tenant.client.post(`/api-keys/${record.id}/roll`), 409, 'conflict');
    });
  });

  describe('rolled', () => {
    it('have a successor with the same rights, and both work until the overlap ends', async () => {
      const rights = { permissions: ['read', 'approve'], tier: 'starter', name: 'Old' };
      const old = await make(rights);
      const next = await roll(old.record.id, { overlap_hours: 1 });
      expect(next.record).to.deep.include({ ...rights, expires_at: null, kind: 'api', read_only: false });
      expect(next.record.id).to.not.equal(old.record.id);
      expect(next.record.key).to.not.equal(old.record.key);
      const end = Date.parse((await get(old.record.id)).expires_at);
      expect(end - Date.parse(next.record.created_at)).to.be.closeTo(HOUR_MS, 5000);
      expect([await meStatus(old.client), await meStatus(next.client)]).to.deep.equal([200, 200]);
      const text = 'update api_keys set expires_at = now() where tenant_id = $1 and id = $2';
      await stack.rows(tenant.id, text, [tenant.id, old.record.id]);
      await isRefused(old.client, 10_000);
      expect(await meStatus(next.client)).to.equal(200);
    });

    it('with an overlap of 0 are refused at once', async () => {
      const old = await make();
      expect(await meStatus(old.client)).to.equal(200);
      const next = await roll(old.record.id, { overlap_hours: 0 });
      await isRefused(old.client, ANNOUNCED_MS);
      expect(await meStatus(next.client)).to.equal(200);
    });

    it('work on for a day unless told otherwise, and never longer than they were to', async () => {
      const endless = await make();
      const { record } = await roll(endless.record.id);
      const end = Date.parse((await get(endless.record.id)).expires_at);
      expect(end - Date.parse(record.created_at)).to.be.closeTo(24 * HOUR_MS, 5000);
      const expires_at = new Date(Date.now() + 2 * HOUR_MS).toISOString();
      const ending = await make({ expires_at });
      await roll(ending.record.id, { overlap_hours: 168 });
      expect((await get(ending.record.id)).expires_at).to.equal(expires_at);
    });

    it('cannot be rolled again: of many at once one wins', async () => {
      const { record } = await make();
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => tenant.client.post(`/api-keys/${record.id}/roll`)),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, ...Array(7).fill(409)]);
      for (const answer of answers) if (answer.status !== 201) expectError(answer, 409, 'conflict');
      const text = 'select id from api_keys where tenant_id = $1 and rolled_from = $2';
      const successors = await stack.rows(tenant.id, text, [tenant.id, record.id]);
      const winner = answers.find(({ status }) => status === 201);
      expect(successors).to.deep.equal([{ id: winner?.body.id }]);
    });

    it('under one Idempotency-Key show the one successor again', async () => {
      const { record } = await make();
      const options = { headers: { 'idempotency-key': newId() } };
      const path = `/api-keys/${record.id}/roll`;
      const [first, second] = [
        await tenant.client.post(path, {}, options),
        await tenant.client.post(path, {}, options),
      ];
      expect(second.status).to.equal(201);
      expect(second.body).to.deep.equal(first.body);
      expect(await meStatus(stack.clientWith(second.body.key))).to.equal(200);
    });

    it('are not those of agents: their keys have another prefix', async () => {
      const credential = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_invoices'] });
      const { id } = (await stack.clientWith(credential).get('/me')).body.key;
      expectError(await tenant.client.post(`/api-keys/${id}/roll`), 404, 'not_found');
    });
  });
});
