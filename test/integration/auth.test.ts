import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { startApi } from '../../api/start-api.js';
import { mintKey } from '../../shared/resources/api-keys/credential.js';
import { type Answer, TestClient } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { eventually } from '../support/poll.js';
import { TestStack, type TestTenant } from '../support/stack.js';

describe('authentication', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
  });
  after(() => stack.stop());

  const ask = (authorization?: string): Promise<Answer> =>
    tenant.client.get('/me', { key: null, headers: authorization === undefined ? {} : { authorization } });

  const expectUnauthorized = (answer: Answer): void => {
    expect(expectError(answer, 401, 'unauthorized')).to.deep.equal([]);
    expect(answer.headers['www-authenticate']).to.match(/^Bearer\b/);
    expect(answer.headers).to.not.have.property('x-ratelimit-remaining');
  };
  const isRefused = async (key: string) => (await stack.clientWith(key).get('/me')).status === 401;

  describe('answers 401 unauthorized, one code for all,', () => {
    const unknown = mintKey('api', 'live', randomBytes(32)).key;
    const mistyped = `${unknown.slice(0, 12)}${unknown[12] === 'a' ? 'b' : 'a'}${unknown.slice(13)}`;
    const credentials: [string, string | undefined][] = [
      ['without a credential', undefined],
      ['to an empty header', ''],
      ['to a scheme that is not Bearer', `Basic ${Buffer.from('a:b').toString('base64')}`],
      ['to Bearer without a key', 'Bearer'],
      ['to Bearer with two words', `Bearer ${unknown} ${unknown}`],
      ['to a key without Bearer', unknown],
      ['to text that is no key', 'Bearer letmein'],
      ['to a key that was never made', `Bearer ${unknown}`],
      ['to a key with one wrong character', `Bearer ${mistyped}`],
      ['to a key of 4 KiB', `Bearer tk_live_${'a'.repeat(4096)}`],
      ['to an SQL joke', "Bearer ' or '1'='1"],
    ];
    for (const [name, authorization] of credentials) {
      it(name, async () => expectUnauthorized(await ask(authorization)));
    }

    it('and says how a key is sent when it came without Bearer', async () => {
      const { body } = await ask(unknown);
      expect(body.error.message).to.include('"Authorization: Bearer <key>"');
    });

    it('to a revoked and to an expired key', async () => {
      const revoked = await stack.createKey(tenant.id);
      await stack.rows(tenant.id, 'update api_keys set revoked_at = now() where last_four = $1', [
        revoked.slice(-4),
      ]);
      expectUnauthorized(await ask(`Bearer ${revoked}`));
      const expired = await stack.createKey(tenant.id, {
        expiresAt: new Date(Date.now() - 1000).toISOString(),
      });
      expectUnauthorized(await ask(`Bearer ${expired}`));
    });

    it('to a key in the query string', async () => {
      expectUnauthorized(
        await tenant.client.get(`/me?api_key=${tenant.client.key}&access_token=${tenant.client.key}`, {
          key: null,
        }),
      );
    });

    it('on every route, known or not, and whatever the method', async () => {
      const routes = [
        ['GET', '/invoices'],
        ['POST', '/invoices'],
        ['PATCH', '/customers/x'],
        ['DELETE', '/api-keys/x'],
        ['GET', '/nothing'],
        ['PUT', '/me'],
      ];
      for (const [method = '', path = ''] of routes)
        expectUnauthorized(await tenant.client.call(method, path, { key: null }));
    });
  });

  it('takes the scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect((await ask(`${scheme} ${tenant.client.key}`)).status).to.equal(200);
    }
  });

  it('takes the tenant and its mode from the key and from nowhere else', async () => {
    const other = await stack.createTenant('Other');
    const headers = { 'x-tenant-id': other.id, 'x-environment': 'sandbox' };
    const live = await tenant.client.get(`/me?tenant_id=${other.id}`, { headers });
    expect(live.body.tenant).to.include({ id: tenant.id, environment: 'live' });
    expect((await tenant.sandbox.get('/me')).body.tenant).to.include({
      id: tenant.sandboxId,
      environment: 'sandbox',
    });
    expect(tenant.client.key).to.match(/^tk_live_/);
    expect(tenant.sandbox.key).to.match(/^tk_test_/);
  });

  it('gives every kind of key its own prefix', async () => {
    const agent = { kind: 'agent', scopes: ['read_invoices'] } as const;
    const keys = [
      await stack.createKey(tenant.id, { ...agent, scopes: [...agent.scopes] }),
      await stack.createKey(tenant.sandboxId, { ...agent, scopes: [...agent.scopes] }, 'sandbox'),
    ];
    expect(keys[0]).to.match(/^tk_agent_(?!test_)/);
    expect(keys[1]).to.match(/^tk_agent_test_/);
    for (const key of keys) expect((await stack.clientWith(key).get('/me')).body.key.kind).to.equal('agent');
  });

  describe('of a key that ends', () => {
    it('stops at once in every api process when it is revoked, although each has it cached', async () => {
      const { port } = await startApi(stack.runtime);
      const { id, key } = (await tenant.client.post('/api-keys', { name: 'leaving' })).body;
      const clients = [stack.origin, `http://127.0.0.1:${port}`].map((origin) => new TestClient(origin, key));
      for (const client of clients) expect((await client.get('/me')).status).to.equal(200);
      expect((await tenant.client.delete(`/api-keys/${id}`)).status).to.equal(200);
      // Sooner than any cache entry of theirs could have run out by itself.
      for (const client of clients) {
        await eventually(
          '401 after the broadcast',
          async () => (await client.get('/me')).status === 401,
          2000,
        );
      }
    });

    it('stops within seconds when the broadcast of its revocation is lost', async () => {
      const key = await stack.createKey(tenant.id);
      expect(await isRefused(key)).to.equal(false);
      await stack.rows(tenant.id, 'update api_keys set revoked_at = now() where last_four = $1', [
        key.slice(-4),
      ]);
      await eventually('401 without a broadcast', () => isRefused(key), 6000);
    });

    it('stops at its very expiry, although it is cached', async () => {
      const expiresAt = Date.now() + 1500;
      const key = await stack.createKey(tenant.id, { expiresAt: new Date(expiresAt).toISOString() });
      expect(await isRefused(key)).to.equal(false);
      await eventually('401 once expired', async () => {
        const askedAt = Date.now();
        const refused = await isRefused(key);
        if (askedAt > expiresAt) expect(refused, 'let in after its expiry').to.equal(true);
        return refused;
      });
      expect(Date.now(), 'refused before its expiry').to.be.at.least(expiresAt);
    });
  });
});
