import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { TestResponse } from '../../support/client.js';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { listPublishedMembers } from '../../support/openapi-validator.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const HOUR_MS = 3_600_000;

describe('API keys', () => {
  const stack = useStack({ clock: true });
  const tenant = useTenant(stack);

  const createApiKey = async (body: Record<string, unknown> = {}): Promise<TestResponse['body']> => {
    const response = await tenant.client.post('/api-keys', { name: 'k', ...body });
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };
  const getStatus = async (key: string, path = '/me'): Promise<number> =>
    (await stack.createClient(key).get(path)).status;

  describe('creating API keys', () => {
    it('a repeated Idempotency-Key returns the new API key again to the same caller, and 422 to another key', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const first = await tenant.client.post('/api-keys', { name: 'once' }, { headers });
      const again = await tenant.client.post('/api-keys', { name: 'once' }, { headers });
      expect(again.text).to.equal(first.text);
      const other = stack.createClient(await stack.createKey(tenant.id));
      expectError(
        await other.post('/api-keys', { name: 'once' }, { headers }),
        422,
        'idempotency_key_reused',
      );
    });

    it('a new API key works immediately, can read and write by default, and is shown in the creating response only', async () => {
      const response = await tenant.client.post('/api-keys', { name: 'Dispatch software' });
      expect(response.status, response.text).to.equal(201);
      expect(Object.keys(response.body)).to.deep.equal([...listPublishedMembers('ApiKey'), 'key']);
      const { key, ...record } = response.body;
      expect(response.headers.location).to.equal(`/v1/api-keys/${record.id}`);
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
      expect((await stack.createClient(key).post('/customers', { company_name: 'C' })).status).to.equal(201);

      const read = await tenant.client.get(`/api-keys/${record.id}`);
      const { last_used_at: _used, ...unchanging } = record;
      expect(read.body).to.deep.include(unchanging);
      expect(Object.keys(read.body)).to.deep.equal(listPublishedMembers('ApiKey'));
      const list = await tenant.client.get('/api-keys?limit=200');
      const roll = await tenant.client.post(`/api-keys/${record.id}/roll`, {});
      const revoked = await tenant.client.delete(`/api-keys/${record.id}`);
      for (const other of [read, list, roll, revoked]) expect(other.text).to.not.include(key);
    });

    it('an API key is stored as a hash: its row holds neither the key nor a part of it', async () => {
      const { id, key } = await createApiKey();
      const [row] = await stack.rows<{ all: string; hash: string }>(
        tenant.id,
        "select to_jsonb(t)::text as all, encode(key_hash, 'hex') as hash from api_keys t where id = $1",
        [id],
      );
      expect(row?.hash).to.have.length(64);
      expect(row?.all).to.not.include(key.slice(8, 20));
    });

    it('a sandbox API key has the sandbox prefix and sees only sandbox records', async () => {
      const newKey = (await tenant.sandbox.post('/api-keys', { name: 'sandbox' })).body;
      expect(newKey.key).to.match(/^tk_test_/);
      const me = await stack.createClient(newKey.key).get('/me');
      expect(me.body.tenant).to.include({ id: tenant.sandboxId, environment: 'sandbox' });
      expectError(await tenant.client.get(`/api-keys/${newKey.id}`), 404, 'not_found');
    });

    it('an API key has the permissions it was created with and no more', async () => {
      const writer = stack.createClient((await createApiKey({ permissions: ['write'] })).key);
      expectError(await writer.get('/invoices'), 403, 'insufficient_scope');
      expect((await writer.post('/invoices', invoiceInput())).status).to.equal(201);
      const manager = stack.createClient((await createApiKey({ permissions: ['admin'] })).key);
      expect((await manager.get('/api-keys')).status).to.equal(200);
      expectError(await manager.get('/invoices'), 403, 'insufficient_scope');
    });

    it('a read-only API key has only the permission read, even if more were requested', async () => {
      const newKey = await createApiKey({ read_only: true, permissions: ['read', 'write', 'admin'] });
      expect(newKey).to.deep.include({ read_only: true, permissions: ['read'] });
      const reader = stack.createClient(newKey.key);
      expect((await reader.get('/invoices')).status).to.equal(200);
      expectError(await reader.post('/invoices', invoiceInput()), 403, 'read_only_key');
      expectError(await reader.post('/api-keys', { name: 'more' }), 403, 'read_only_key');
    });

    it('POST /api-keys requires at least one permission, and each only once', async () => {
      const post = (permissions: string[]) => tenant.client.post('/api-keys', { name: 'k', permissions });
      expect(listValidationErrors(await post([]))).to.deep.equal(['permissions min']);
      expect(listValidationErrors(await post(['read', 'read']))).to.deep.equal(['permissions[1] unique']);
    });

    it('an API key with expires_at works until that time and then ends', async () => {
      const expires_at = new Date(Date.now() + 1200).toISOString();
      const newKey = await createApiKey({ expires_at });
      expect(newKey.expires_at).to.equal(expires_at);
      expect(await getStatus(newKey.key)).to.equal(200);
      await eventually('the key ends', async () => (await getStatus(newKey.key)) === 401);
      expect(Date.now()).to.be.at.least(Date.parse(expires_at));
    });
  });

  it('GET /api-keys lists the newest first, with ended keys and without agent keys', async () => {
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

  describe('rolling API keys', () => {
    it('a rolled API key works beside its successor until the overlap ends, 24 hours by default', async () => {
      const old = await createApiKey({ name: 'rolling', permissions: ['read'], tier: 'starter' });
      const response = await tenant.client.post(`/api-keys/${old.id}/roll`);
      expect(response.status, response.text).to.equal(201);
      const next = response.body;
      expect(response.headers.location).to.equal(`/v1/api-keys/${next.id}`);
      expect(next.id).to.not.equal(old.id);
      expect(next).to.deep.include({
        name: 'rolling',
        permissions: ['read'],
        tier: 'starter',
        expires_at: null,
      });
      expect([await getStatus(old.key), await getStatus(next.key)]).to.deep.equal([200, 200]);
      const ends = Date.parse((await tenant.client.get(`/api-keys/${old.id}`)).body.expires_at);
      expect(ends).to.be.within(Date.parse(next.created_at) + 23.9 * HOUR_MS, Date.now() + 24 * HOUR_MS);
    });

    it('an API key rolled with overlap_hours 0 ends within 2 seconds, even if it was just used', async () => {
      const old = await createApiKey();
      expect(await getStatus(old.key)).to.equal(200);
      const next = (await tenant.client.post(`/api-keys/${old.id}/roll`, { overlap_hours: 0 })).body;
      expect(await getStatus(next.key)).to.equal(200);
      await eventually('the old key ends', async () => (await getStatus(old.key)) === 401, 2000);
    });

    it('an API key has one successor: one of two concurrent rolls succeeds, and a later roll gets 409', async () => {
      const { id } = await createApiKey();
      const roll = () => tenant.client.post(`/api-keys/${id}/roll`, {});
      const statuses = (await Promise.all([roll(), roll()])).map(({ status }) => status);
      expect(statuses.sort()).to.deep.equal([201, 409]);
      expectError(await roll(), 409, 'conflict');
    });

    it('rolling an API key does not extend its expiry', async () => {
      const expires_at = new Date(Date.now() + HOUR_MS).toISOString();
      const old = await createApiKey({ expires_at });
      await tenant.client.post(`/api-keys/${old.id}/roll`, { overlap_hours: 168 });
      expect((await tenant.client.get(`/api-keys/${old.id}`)).body.expires_at).to.equal(expires_at);
    });

    it('POST /api-keys/{id}/roll returns 409 for an ended key and 404 for an unknown, foreign or agent key', async () => {
      const revoked = await createApiKey();
      await tenant.client.delete(`/api-keys/${revoked.id}`);
      expectError(await tenant.client.post(`/api-keys/${revoked.id}/roll`), 409, 'conflict');
      const expired = await createApiKey({ expires_at: '2020-01-01T00:00:00Z' });
      expectError(await tenant.client.post(`/api-keys/${expired.id}/roll`), 409, 'conflict');
      const theirs = (await (await stack.createTenant('Other')).client.post('/api-keys', { name: 'theirs' }))
        .body;
      const agentKey = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_invoices'] });
      const agentId = (await stack.createClient(agentKey).get('/me')).body.key.id;
      for (const id of [randomUUID(), 'x', theirs.id, agentId]) {
        expectError(await tenant.client.post(`/api-keys/${id}/roll`), 404, 'not_found');
      }
      expect([await getStatus(theirs.key), await getStatus(agentKey)]).to.deep.equal([200, 200]);
    });
  });

  describe('revoking API keys', () => {
    it('a revoked API key ends within 2 seconds, and revoking it again returns 200 with the first revoked_at', async () => {
      const { id, key } = await createApiKey();
      expect(await getStatus(key)).to.equal(200);
      const first = await tenant.client.delete(`/api-keys/${id}`);
      expect(first.status, first.text).to.equal(200);
      expect(first.body.revoked_at).to.be.a('string');
      await eventually('the key ends', async () => (await getStatus(key)) === 401, 2000);
      expect((await tenant.client.delete(`/api-keys/${id}`)).body.revoked_at).to.equal(first.body.revoked_at);
    });

    it('an API key can revoke itself', async () => {
      const newKey = await createApiKey({ permissions: ['admin'] });
      const self = stack.createClient(newKey.key);
      expect((await self.delete(`/api-keys/${newKey.id}`)).status).to.equal(200);
      await eventually('the key ends', async () => (await getStatus(newKey.key)) === 401, 2000);
    });

    it('an unknown or foreign API key returns 404 on GET and DELETE, and the foreign key keeps working', async () => {
      const theirs = (await (await stack.createTenant('Other')).client.post('/api-keys', { name: 'theirs' }))
        .body;
      for (const id of [randomUUID(), 'x', theirs.id]) {
        expectError(await tenant.client.delete(`/api-keys/${id}`), 404, 'not_found');
        expectError(await tenant.client.get(`/api-keys/${id}`), 404, 'not_found');
      }
      expect(await getStatus(theirs.key)).to.equal(200);
    });
  });

  it('last_used_at of an API key is null until the key is used', async () => {
    const { id, key, created_at } = await createApiKey();
    expect((await tenant.client.get(`/api-keys/${id}`)).body.last_used_at).to.equal(null);
    await getStatus(key);
    const used = await eventually('last_used_at is set', async () => {
      const { last_used_at } = (await tenant.client.get(`/api-keys/${id}`)).body;
      return last_used_at ?? undefined;
    });
    expect(Date.parse(used)).to.be.within(Date.parse(created_at), Date.now());
  });
});
