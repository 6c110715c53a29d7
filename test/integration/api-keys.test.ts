import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Answer } from '../support/client.js';
import { expectError, faultsOf } from '../support/expect-error.js';
import { eventually } from '../support/poll.js';
import { invoiceInput } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const MEMBERS = [
  ...['id', 'kind', 'name', 'prefix', 'last_four', 'permissions', 'scopes', 'read_only', 'tier'],
  ...['created_at', 'expires_at', 'revoked_at', 'last_used_at'],
];
const HOUR_MS = 3_600_000;

describe('API keys', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
  });
  after(() => stack.stop());

  const created = async (body: Record<string, unknown> = {}): Promise<Answer['body']> => {
    const answer = await tenant.client.post('/api-keys', { name: 'k', ...body });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const statusWith = async (key: string, path = '/me'): Promise<number> =>
    (await stack.clientWith(key).get(path)).status;

  describe('when created', () => {
    it('are told again to the key that asked, and to no other', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const first = await tenant.client.post('/api-keys', { name: 'once' }, { headers });
      const again = await tenant.client.post('/api-keys', { name: 'once' }, { headers });
      expect(again.text).to.equal(first.text);
      const other = stack.clientWith(await stack.createKey(tenant.id));
      expectError(
        await other.post('/api-keys', { name: 'once' }, { headers }),
        422,
        'idempotency_key_reused',
      );
    });

    it('work at once, read and write by default, and are shown in the creating answer alone', async () => {
      const answer = await tenant.client.post('/api-keys', { name: 'Dispatch software' });
      expect(answer.status, answer.text).to.equal(201);
      expect(Object.keys(answer.body)).to.deep.equal([...MEMBERS, 'key']);
      const { key, ...record } = answer.body;
      expect(answer.headers.location).to.equal(`/v1/api-keys/${record.id}`);
      expect(record).to.deep.include({
        kind: 'api',
        name: 'Dispatch software',
        permissions: ['read', 'write'],
      });
      expect(record).to.deep.include({
        scopes: [],
        read_only: false,
        tier: null,
        expires_at: null,
        revoked_at: null,
      });
      expect(key).to.match(/^tk_live_[0-9A-Za-z]{49}$/);
      expect([record.prefix, record.last_four]).to.deep.equal(['tk_live_', key.slice(-4)]);
      expect((await stack.clientWith(key).post('/customers', { company_name: 'C' })).status).to.equal(201);

      const read = await tenant.client.get(`/api-keys/${record.id}`);
      const { last_used_at: _used, ...unchanging } = record;
      expect(read.body).to.deep.include(unchanging);
      expect(Object.keys(read.body)).to.deep.equal(MEMBERS);
      const list = await tenant.client.get('/api-keys?limit=200');
      const roll = await tenant.client.post(`/api-keys/${record.id}/roll`, {});
      const revoked = await tenant.client.delete(`/api-keys/${record.id}`);
      for (const other of [read, list, roll, revoked]) expect(other.text).to.not.include(key);
    });

    it('are kept as a hash: the table holds neither the key nor a part that would do', async () => {
      const { id, key } = await created();
      const [row] = await stack.rows<{ all: string; hash: string }>(
        tenant.id,
        "select to_jsonb(t)::text as all, encode(key_hash, 'hex') as hash from api_keys t where id = $1",
        [id],
      );
      expect(row?.hash).to.have.length(64);
      expect(row?.all).to.not.include(key.slice(8, 20));
    });

    it('of the sandbox have its prefix and see its records only', async () => {
      const made = (await tenant.sandbox.post('/api-keys', { name: 'sandbox' })).body;
      expect(made.key).to.match(/^tk_test_/);
      const me = await stack.clientWith(made.key).get('/me');
      expect(me.body.tenant).to.include({ id: tenant.sandboxId, environment: 'sandbox' });
      expectError(await tenant.client.get(`/api-keys/${made.id}`), 404, 'not_found');
    });

    it('have the permissions they were given and no more', async () => {
      const writer = stack.clientWith((await created({ permissions: ['write'] })).key);
      expectError(await writer.get('/invoices'), 403, 'insufficient_scope');
      expect((await writer.post('/invoices', invoiceInput())).status).to.equal(201);
      const manager = stack.clientWith((await created({ permissions: ['admin'] })).key);
      expect((await manager.get('/api-keys')).status).to.equal(200);
      expectError(await manager.get('/invoices'), 403, 'insufficient_scope');
    });

    it('read-only keep the permission to read alone, whatever was asked for', async () => {
      const made = await created({ read_only: true, permissions: ['read', 'write', 'admin'] });
      expect(made).to.deep.include({ read_only: true, permissions: ['read'] });
      const reader = stack.clientWith(made.key);
      expect((await reader.get('/invoices')).status).to.equal(200);
      expectError(await reader.post('/invoices', invoiceInput()), 403, 'read_only_key');
      expectError(await reader.post('/api-keys', { name: 'more' }), 403, 'read_only_key');
    });

    it('take each permission once, and at least one', async () => {
      const post = (permissions: string[]) => tenant.client.post('/api-keys', { name: 'k', permissions });
      expect(faultsOf(await post([]))).to.deep.equal(['permissions min']);
      expect(faultsOf(await post(['read', 'read']))).to.deep.equal(['permissions[1] unique']);
    });

    it('with an expiry end by it', async () => {
      const expires_at = new Date(Date.now() + 1200).toISOString();
      const made = await created({ expires_at });
      expect(made.expires_at).to.equal(expires_at);
      expect(await statusWith(made.key)).to.equal(200);
      await eventually('the key ends', async () => (await statusWith(made.key)) === 401);
      expect(Date.now()).to.be.at.least(Date.parse(expires_at));
    });
  });

  it('are listed newest first, ended ones included, agent keys not', async () => {
    const owner = await stack.createTenant('Lister');
    await stack.createKey(owner.id, { kind: 'agent', scopes: ['read_invoices'] });
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.unshift((await owner.client.post('/api-keys', { name })).body.id);
    await owner.client.delete(`/api-keys/${ids[1]}`);
    const { items } = (await owner.client.get('/api-keys')).body.data;
    expect(items.map(({ id }: { id: string }) => id).slice(0, 3)).to.deep.equal(ids);
    expect(items).to.have.length(4);
    expect(items[1].revoked_at).to.be.a('string');
  });

  describe('when rolled', () => {
    it('work beside their successor until the overlap ends, 24 hours by default', async () => {
      const old = await created({ name: 'rolling', permissions: ['read'], tier: 'starter' });
      const answer = await tenant.client.post(`/api-keys/${old.id}/roll`);
      expect(answer.status, answer.text).to.equal(201);
      const next = answer.body;
      expect(answer.headers.location).to.equal(`/v1/api-keys/${next.id}`);
      expect(next.id).to.not.equal(old.id);
      expect(next).to.deep.include({
        name: 'rolling',
        permissions: ['read'],
        tier: 'starter',
        expires_at: null,
      });
      expect([await statusWith(old.key), await statusWith(next.key)]).to.deep.equal([200, 200]);
      const ends = Date.parse((await tenant.client.get(`/api-keys/${old.id}`)).body.expires_at);
      expect(ends).to.be.within(Date.parse(next.created_at) + 23.9 * HOUR_MS, Date.now() + 24 * HOUR_MS);
    });

    it('end at once with overlap_hours 0, although they were in use a moment ago', async () => {
      const old = await created();
      expect(await statusWith(old.key)).to.equal(200);
      const next = (await tenant.client.post(`/api-keys/${old.id}/roll`, { overlap_hours: 0 })).body;
      expect(await statusWith(next.key)).to.equal(200);
      await eventually('the old key ends', async () => (await statusWith(old.key)) === 401, 2000);
    });

    it('have one successor: of two rolls at once one wins, and a later one is refused', async () => {
      const { id } = await created();
      const roll = () => tenant.client.post(`/api-keys/${id}/roll`, {});
      const statuses = (await Promise.all([roll(), roll()])).map(({ status }) => status);
      expect(statuses.sort()).to.deep.equal([201, 409]);
      expectError(await roll(), 409, 'conflict');
    });

    it('never live longer than they were to', async () => {
      const expires_at = new Date(Date.now() + HOUR_MS).toISOString();
      const old = await created({ expires_at });
      await tenant.client.post(`/api-keys/${old.id}/roll`, { overlap_hours: 168 });
      expect((await tenant.client.get(`/api-keys/${old.id}`)).body.expires_at).to.equal(expires_at);
    });

    it('are refused once they ended, and are 404 when there is none: unknown, foreign or an agent’s', async () => {
      const revoked = await created();
      await tenant.client.delete(`/api-keys/${revoked.id}`);
      expectError(await tenant.client.post(`/api-keys/${revoked.id}/roll`), 409, 'conflict');
      const expired = await created({ expires_at: '2020-01-01T00:00:00Z' });
      expectError(await tenant.client.post(`/api-keys/${expired.id}/roll`), 409, 'conflict');
      const theirs = (await (await stack.createTenant('Other')).client.post('/api-keys', { name: 'theirs' }))
        .body;
      const agentKey = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_invoices'] });
      const agentId = (await stack.clientWith(agentKey).get('/me')).body.key.id;
      for (const id of [randomUUID(), 'x', theirs.id, agentId]) {
        expectError(await tenant.client.post(`/api-keys/${id}/roll`), 404, 'not_found');
      }
      expect([await statusWith(theirs.key), await statusWith(agentKey)]).to.deep.equal([200, 200]);
    });
  });

  describe('when revoked', () => {
    it('end at once; revoking again is 200 and keeps the first time', async () => {
      const { id, key } = await created();
      expect(await statusWith(key)).to.equal(200);
      const first = await tenant.client.delete(`/api-keys/${id}`);
      expect(first.status, first.text).to.equal(200);
      expect(first.body.revoked_at).to.be.a('string');
      await eventually('the key ends', async () => (await statusWith(key)) === 401, 2000);
      expect((await tenant.client.delete(`/api-keys/${id}`)).body.revoked_at).to.equal(first.body.revoked_at);
    });

    it('may be the very key that asks', async () => {
      const made = await created({ permissions: ['admin'] });
      const self = stack.clientWith(made.key);
      expect((await self.delete(`/api-keys/${made.id}`)).status).to.equal(200);
      await eventually('the key ends', async () => (await statusWith(made.key)) === 401, 2000);
    });

    it('are 404 when there is none, and a foreign one goes on', async () => {
      const theirs = (await (await stack.createTenant('Other')).client.post('/api-keys', { name: 'theirs' }))
        .body;
      for (const id of [randomUUID(), 'x', theirs.id]) {
        expectError(await tenant.client.delete(`/api-keys/${id}`), 404, 'not_found');
        expectError(await tenant.client.get(`/api-keys/${id}`), 404, 'not_found');
      }
      expect(await statusWith(theirs.key)).to.equal(200);
    });
  });

  it('tell when they were last used', async () => {
    const { id, key, created_at } = await created();
    expect((await tenant.client.get(`/api-keys/${id}`)).body.last_used_at).to.equal(null);
    await statusWith(key);
    const used = await eventually('last_used_at is set', async () => {
      const { last_used_at } = (await tenant.client.get(`/api-keys/${id}`)).body;
      return last_used_at ?? undefined;
    });
    expect(Date.parse(used)).to.be.within(Date.parse(created_at), Date.now());
  });
});
