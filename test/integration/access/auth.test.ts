import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { startApi } from '../../../api/start-api.js';
import { mintKey } from '../../../shared/resources/api-keys/credential.js';
import { TestClient, type TestResponse } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { eventually } from '../../support/poll.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe('authentication', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  const requestMe = (authorization?: string): Promise<TestResponse> =>
    tenant.client.get('/me', { key: null, headers: authorization === undefined ? {} : { authorization } });

  const expectUnauthorized = (response: TestResponse): void => {
    expect(expectError(response, 401, 'unauthorized')).to.deep.equal([]);
    expect(response.headers['www-authenticate']).to.match(/^Bearer\b/);
    expect(response.headers).to.not.have.property('x-ratelimit-remaining');
  };
  const isUnauthorized = async (key: string) => (await stack.createClient(key).get('/me')).status === 401;

  describe('requests without a valid key', () => {
    const unknown = mintKey('api', 'live', randomBytes(32)).key;
    const mistyped = `${unknown.slice(0, 12)}${unknown[12] === 'a' ? 'b' : 'a'}${unknown.slice(13)}`;
    const credentials: [string, string | undefined][] = [
      ['without a credential', undefined],
      ['for an empty header', ''],
      ['for a scheme other than Bearer', `Basic ${Buffer.from('a:b').toString('base64')}`],
      ['for Bearer without a key', 'Bearer'],
      ['for Bearer with two words', `Bearer ${unknown} ${unknown}`],
      ['for a key without Bearer', unknown],
      ['for text that is not a key', 'Bearer letmein'],
      ['for a key that does not exist', `Bearer ${unknown}`],
      ['for a key with one wrong character', `Bearer ${mistyped}`],
      ['for a key of 4 KiB', `Bearer tk_live_${'a'.repeat(4096)}`],
      ['for an SQL injection', "Bearer ' or '1'='1"],
    ];
    for (const [name, authorization] of credentials) {
      it(`GET /me returns 401 unauthorized ${name}`, async () =>
        expectUnauthorized(await requestMe(authorization)));
    }

    it('a key sent without Bearer gets an error message with the expected header', async () => {
      const { body } = await requestMe(unknown);
      expect(body.error.message).to.include('"Authorization: Bearer <key>"');
    });

    it('GET /me returns 401 unauthorized for a revoked and for an expired key', async () => {
      const revoked = await stack.createKey(tenant.id);
      await stack.rows(tenant.id, 'update api_keys set revoked_at = now() where last_four = $1', [
        revoked.slice(-4),
      ]);
      expectUnauthorized(await requestMe(`Bearer ${revoked}`));
      const expired = await stack.createKey(tenant.id, {
        expiresAt: new Date(Date.now() - 1000).toISOString(),
      });
      expectUnauthorized(await requestMe(`Bearer ${expired}`));
    });

    it('GET /me returns 401 unauthorized for a key in the query string', async () => {
      expectUnauthorized(
        await tenant.client.get(`/me?api_key=${tenant.client.key}&access_token=${tenant.client.key}`, {
          key: null,
        }),
      );
    });

    it('every path and method returns 401 unauthorized without a key, including unknown paths', async () => {
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

  it('the authorization scheme Bearer is accepted in any letter case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect((await requestMe(`${scheme} ${tenant.client.key}`)).status).to.equal(200);
    }
  });

  it('the key alone decides the tenant and its environment', async () => {
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

  it('agent keys of the live account and of the sandbox have their own prefixes', async () => {
    const agent = { kind: 'agent', scopes: ['read_invoices'] } as const;
    const keys = [
      await stack.createKey(tenant.id, { ...agent, scopes: [...agent.scopes] }),
      await stack.createKey(tenant.sandboxId, { ...agent, scopes: [...agent.scopes] }, 'sandbox'),
    ];
    expect(keys[0]).to.match(/^tk_agent_(?!test_)/);
    expect(keys[1]).to.match(/^tk_agent_test_/);
    for (const key of keys)
      expect((await stack.createClient(key).get('/me')).body.key.kind).to.equal('agent');
  });

  describe('keys that end while they are cached', () => {
    it('a revoked key stops working within 2 seconds in every api process that has it cached', async () => {
      const { port } = await startApi(stack.runtime);
      const { id, key } = (await tenant.client.post('/api-keys', { name: 'leaving' })).body;
      const clients = [stack.origin, `http://127.0.0.1:${port}`].map((origin) => new TestClient(origin, key));
      for (const client of clients) expect((await client.get('/me')).status).to.equal(200);
      expect((await tenant.client.delete(`/api-keys/${id}`)).status).to.equal(200);
      // The API caches a key for longer than 2 s. Only the broadcast about the revocation can make
      // it refuse the key within 2 s.
      for (const client of clients) {
        await eventually(
          '401 after the broadcast',
          async () => (await client.get('/me')).status === 401,
          2000,
        );
      }
    });

    it('a revoked key stops working within 6 seconds when the broadcast of its revocation is lost', async () => {
      const key = await stack.createKey(tenant.id);
      expect(await isUnauthorized(key)).to.equal(false);
      await stack.rows(tenant.id, 'update api_keys set revoked_at = now() where last_four = $1', [
        key.slice(-4),
      ]);
      await eventually('401 without a broadcast', () => isUnauthorized(key), 6000);
    });

    it('a cached key stops working exactly when it expires', async () => {
      const expiresAt = Date.now() + 1500;
      const key = await stack.createKey(tenant.id, { expiresAt: new Date(expiresAt).toISOString() });
      expect(await isUnauthorized(key)).to.equal(false);
      await eventually('401 once expired', async () => {
        const askedAt = Date.now();
        const isNowRefused = await isUnauthorized(key);
        if (askedAt > expiresAt) expect(isNowRefused, 'accepted after its expiry').to.equal(true);
        return isNowRefused;
      });
      expect(Date.now(), 'refused before its expiry').to.be.at.least(expiresAt);
    });
  });
});
