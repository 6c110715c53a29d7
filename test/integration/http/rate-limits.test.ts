import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { mintKey } from '../../../shared/resources/api-keys/credential.js';
import { TestClient, type TestResponse } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { UNKNOWN_ID } from '../../support/records/samples.js';
import { createUser, openSession } from '../../support/records/sign-in.js';
import type { KeyOptions, TestTenant } from '../../support/stack.js';
import { LIMITED_STACK, LOW_BAD_CREDENTIALS, LOW_PEOPLE_LIMITS, useStack } from '../../support/use-stack.js';

describe('rate limits', () => {
  const stack = useStack(LIMITED_STACK);
  let tenant: TestTenant;

  // All keys of an account share a limit, so each test needs its own account.
  beforeEach(async () => {
    tenant = await stack.createTenant();
  });

  const createClient = async (options: KeyOptions = {}): Promise<TestClient> =>
    stack.createClient(await stack.createKey(tenant.id, options));

  const requestMe = async (client: TestClient, times: number): Promise<TestResponse[]> => {
    const responses: TestResponse[] = [];
    for (let time = 0; time < times; time += 1) responses.push(await client.get('/me'));
    return responses;
  };

  it('every response counts down in X-RateLimit-Remaining and in the draft header RateLimit', async () => {
    const client = await createClient();
    const responses = await requestMe(client, 5);
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
    expect(responses.map(({ headers }) => headers['x-ratelimit-remaining'])).to.deep.equal([
      '4',
      '3',
      '2',
      '1',
      '0',
    ]);
    expect(responses[0]?.headers['ratelimit-policy']).to.equal('"minute";q=5;w=60, "hour";q=1000;w=3600');
    expect(responses[1]?.headers.ratelimit).to.match(
      /^"minute";r=3;t=([1-9]|[1-5]\d|60), "hour";r=998;t=\d{1,4}$/,
    );
  });

  it('a request over the minute limit returns 429 with the window and Retry-After', async () => {
    const client = await createClient();
    await requestMe(client, 5);
    const over = await client.get('/invoices');
    const [detail, ...others] = expectError(over, 429, 'rate_limited');
    expect(others).to.deep.equal([]);
    expect(detail).to.include({ window: 'minute', limit: 5 });
    expect(Number(over.headers['retry-after'])).to.be.within(1, 60).and.to.equal(detail?.retry_after);
    expect(over.headers['x-ratelimit-remaining']).to.equal('0');
    expect(over.headers.ratelimit).to.match(/^"minute";r=0;/);
  });

  it('a request over the hour limit returns 429', async () => {
    const owner = await stack.createTenant('Premium');
    await stack.rows(owner.id, "update tenants set tier = 'premium' where tenant_id = $1", [owner.id]);
    const responses = await requestMe(owner.client, 9);
    expect(responses.map(({ status }) => status)).to.deep.equal([...Array(8).fill(200), 429]);
    expect(responses[0]?.headers['x-ratelimit-remaining']).to.equal('7');
    const last = responses[8] as TestResponse;
    const details = expectError(last, 429, 'rate_limited');
    expect(details.map(({ window, limit }) => [window, limit])).to.deep.equal([['hour', 8]]);
    expect(Number(last.headers['retry-after'])).to.be.within(61, 3600);
  });

  it('of 40 concurrent requests exactly as many pass as the limit allows', async () => {
    const client = await createClient();
    const responses = await Promise.all(Array.from({ length: 40 }, () => client.get('/me')));
    expect(responses.filter(({ status }) => status === 200)).to.have.length(5);
    for (const response of responses) if (response.status !== 200) expectError(response, 429, 'rate_limited');
  });

  it('each API key has its own rate limit', async () => {
    const [one, two] = [await createClient(), await createClient()];
    await requestMe(one, 5);
    expect((await one.get('/me')).status).to.equal(429);
    expect((await two.get('/me')).headers['x-ratelimit-remaining']).to.equal('4');
  });

  it('all API keys of an account share five times the limit of its tier; agents, the sandbox and other accounts do not', async () => {
    for (let nth = 0; nth < 5; nth += 1) {
      const statuses = (await requestMe(await createClient(), 5)).map(({ status }) => status);
      expect(statuses, `key ${nth + 1}`).to.deep.equal(Array(5).fill(200));
    }
    const over = await (await createClient()).get('/me');
    const [detail, ...others] = expectError(over, 429, 'rate_limited');
    expect(others).to.deep.equal([]);
    expect(detail).to.include({ window: 'minute', limit: 25 });
    expect(over.body.error.message).to.include('the account-wide API key limit of 25 requests per minute');
    expect(Number(over.headers['retry-after'])).to.be.within(1, 60).and.to.equal(detail?.retry_after);
    expect(over.headers['x-ratelimit-remaining']).to.equal('0');
    expect(over.headers['ratelimit-policy']).to.match(/^"minute";q=25;w=60, /);
    const agent = await createClient({ kind: 'agent', scopes: ['read_invoices'] });
    const other = await stack.createTenant();
    for (const [name, client] of Object.entries({ agent, sandbox: tenant.sandbox, other: other.client }))
      expect((await client.get('/invoices')).status, name).to.equal(200);
  });

  it('the headers show what the account has left once that is less than what the key has left', async () => {
    for (let nth = 0; nth < 4; nth += 1) await requestMe(await createClient(), 5);
    await requestMe(await createClient(), 3);
    const response = await (await createClient()).get('/me');
    expect(response.headers['x-ratelimit-remaining']).to.equal('1');
    expect(response.headers['ratelimit-policy']).to.equal('"minute";q=25;w=60, "hour";q=1000;w=3600');
    expect(response.body.rate_limits[0]).to.include({ window: 'minute', limit: 25, remaining: 1 });
  });

  it("requests over a key's own limit do not count against the other keys of its account", async () => {
    const client = await createClient();
    await Promise.all(Array.from({ length: 40 }, () => client.get('/me')));
    for (let nth = 0; nth < 4; nth += 1) {
      const statuses = (await requestMe(await createClient(), 5)).map(({ status }) => status);
      expect(statuses, `key ${nth + 1}`).to.deep.equal(Array(5).fill(200));
    }
  });

  it('a key of a lower tier counts towards the limit that the keys of its account share', async () => {
    for (let nth = 0; nth < 4; nth += 1) await requestMe(await createClient(), 5);
    for (const _ of [1, 2]) await requestMe(await createClient({ tier: 'starter' }), 2);
    expect((await (await createClient()).get('/me')).status).to.equal(200);
    expectError(await (await createClient({ tier: 'starter' })).get('/me'), 429, 'rate_limited');
  });

  it("an agent's REST requests count towards the limit that all agents of its account share", async () => {
    const agent = () => createClient({ kind: 'agent', scopes: ['read_invoices'] });
    for (let nth = 0; nth < 5; nth += 1) {
      const client = await agent();
      for (let time = 0; time < 5; time += 1) expect((await client.get('/invoices')).status).to.equal(200);
    }
    const over = await (await agent()).get('/invoices');
    expectError(over, 429, 'rate_limited');
    expect(over.body.error.message).to.include('the account-wide agent limit of 25 requests per minute');
    expect((await (await createClient()).get('/me')).status).to.equal(200);
  });

  it('a signed-in person has more calls than a key in the sandbox, apart from those of its keys', async () => {
    const person = await openSession(stack, await createUser(stack, tenant.id), 'sandbox');
    const key = stack.createClient(await stack.createKey(tenant.sandboxId, {}, 'sandbox'));
    expect((await requestMe(key, 4)).map(({ status }) => status)).to.deep.equal([200, 200, 200, 429]);
    const responses = await requestMe(person, LOW_PEOPLE_LIMITS.minute + 1);
    const passed = responses.filter(({ status }) => status === 200);
    expect(passed).to.have.length(LOW_PEOPLE_LIMITS.minute);
    expect(passed[0]?.body.rate_limits[0]).to.include({ limit: LOW_PEOPLE_LIMITS.minute });
    const over = responses.at(-1) as TestResponse;
    expectError(over, 429, 'rate_limited');
    expect(over.body.error.message).to.include('the limit of one person of 6 requests per minute');
  });

  it('requests that fail after authentication (400, 403, 404, 405) count', async () => {
    const client = await createClient({ permissions: ['read'] });
    const responses = [
      await client.get('/invoices?limit=0'),
      await client.post('/invoices', {}),
      await client.get('/nothing'),
      await client.call('PUT', '/invoices', { body: {} }),
    ];
    expect(responses.map(({ status }) => status)).to.deep.equal([400, 403, 404, 405]);
    expect(responses.map(({ headers }) => headers['x-ratelimit-remaining'])).to.deep.equal([
      '4',
      '3',
      '2',
      '1',
    ]);
  });

  it('GET /me shows the rate limits and counts itself, and says where the MCP server is', async () => {
    const client = await createClient();
    const [, second] = await requestMe(client, 2);
    expect(second?.body.mcp_url).to.equal(`${stack.runtime.config.publicUrl}/mcp`);
    expect(second?.body.tier).to.equal('standard');
    const limits = second?.body.rate_limits.map(
      ({ reset_seconds: _reset, ...rest }: Record<string, unknown>) => rest,
    );
    expect(limits).to.deep.equal([
      { window: 'minute', limit: 5, remaining: 3 },
      { window: 'hour', limit: 1000, remaining: 998 },
    ]);
    expect(second?.body.rate_limits[0].reset_seconds).to.be.within(1, 60);
  });

  for (const [tier, effective, limit] of [
    ['starter', 'starter', 3],
    ['premium', 'standard', 5],
  ] as const) {
    it(`a key of tier ${tier} in a standard account has the limits of ${effective}`, async () => {
      const response = await (await createClient({ tier })).get('/me');
      expect(response.body.tier).to.equal(effective);
      expect(response.body.rate_limits[0].limit).to.equal(limit);
    });
  }

  it('a sandbox has the limits of starter, whatever its tier', async () => {
    await stack.rows(tenant.sandboxId, "update tenants set tier = 'premium' where tenant_id = $1", [
      tenant.sandboxId,
    ]);
    const key = await stack.createKey(tenant.sandboxId, { tier: 'standard' }, 'sandbox');
    const responses = await requestMe(stack.createClient(key), 4);
    expect(responses[0]?.body.tier).to.equal('starter');
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 200, 200, 429]);
  });

  it('a write refused with 429 stores no Idempotency-Key and succeeds with the same key later', async () => {
    const [usedUpClient, otherClient] = [await createClient(), await createClient()];
    await requestMe(usedUpClient, 5);
    const headers = { 'idempotency-key': randomUUID() };
    expectError(
      await usedUpClient.post('/customers', { company_name: 'Late' }, { headers }),
      429,
      'rate_limited',
    );
    expect(await stack.rows(tenant.id, 'select key from idempotency_keys')).to.deep.equal([]);
    const made = await otherClient.post('/customers', { company_name: 'Late' }, { headers });
    expect(made.status, made.text).to.equal(201);
    expect(made.headers).to.not.have.property('x-idempotency-replay');
  });

  it('/metrics counts 401 and 429 responses under their route template', async () => {
    const readCounts = async () => {
      const { text } = await new TestClient(stack.origin, '', '').send('GET', '/metrics');
      const counts = text.matchAll(/^tow_http_request_duration_seconds_count(\{.*\}) (\d+)$/gm);
      return new Map([...counts].map(([, labels = '', count]) => [labels, Number(count)]));
    };
    const before = await readCounts();
    const { client } = tenant;
    expect((await client.get(`/work-orders/${UNKNOWN_ID}`, { key: null })).status).to.equal(401);
    await requestMe(client, 5);
    expect((await client.get('/drivers')).status).to.equal(429);
    expect((await client.send('PUT', '/trucks')).status).to.equal(429);
    const added = [...(await readCounts())].flatMap(([labels, count]) => {
      const difference = count - (before.get(labels) ?? 0);
      return difference > 0 ? [[labels, difference]] : [];
    });
    expect(added).to.have.deep.members([
      ['{method="GET",route="/work-orders/:id",status="401"}', 1],
      ['{method="GET",route="/me",status="200"}', 5],
      ['{method="GET",route="/metrics",status="200"}', 1],
      ['{method="GET",route="/drivers",status="429"}', 1],
      ['{method="PUT",route="/trucks",status="429"}', 1],
    ]);
  });

  it('an address with too many wrong credentials gets 429 for them, and 200 with a valid key', async () => {
    const client = await createClient();
    const headers = { 'x-forwarded-for': '192.0.2.50' };
    const guess = () => client.get('/me', { key: mintKey('api', 'live', randomBytes(32)).key, headers });
    const missing = await client.get('/me', { key: null, headers });
    expectError(missing, 401, 'unauthorized');
    const guesses: TestResponse[] = [];
    for (let time = 0; time < LOW_BAD_CREDENTIALS + 2; time += 1) guesses.push(await guess());
    expect(guesses.map(({ status }) => status)).to.deep.equal([401, 401, 401, 401, 429, 429]);
    const last = guesses.at(-1) as TestResponse;
    expectError(last, 429, 'rate_limited');
    expect(Number(last.headers['retry-after'])).to.be.within(1, 60);
    expectError(await client.get('/me', { key: 'garbage', headers }), 429, 'rate_limited');
    expect((await client.get('/me', { headers })).status, 'a valid key').to.equal(200);
    expectError(await client.get('/me', { key: null, headers }), 401, 'unauthorized');
    const { status } = await fetch(`${stack.origin}/v1/openapi.json`, { headers });
    expect(status, 'a route that needs no key').to.equal(200);
  });
});
