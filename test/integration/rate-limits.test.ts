import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { mintKey } from '../../shared/resources/api-keys/credential.js';
import type { Answer, TestClient } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { type KeyOptions, TestStack, type TestTenant } from '../support/stack.js';

const TIERS = {
  starter: { minute: 3, hour: 1000 },
  standard: { minute: 5, hour: 1000 },
  // The hour is the narrower window here.
  premium: { minute: 1000, hour: 8 },
};
const BAD_CREDENTIALS = 4;

describe('rate limits', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start({
      environment: {
        RATE_LIMIT_TIERS: JSON.stringify(TIERS),
        BAD_CREDENTIALS_PER_MINUTE: String(BAD_CREDENTIALS),
      },
    });
  });
  // All keys of an account have a limit together, so each test has an account of its own.
  beforeEach(async () => {
    tenant = await stack.createTenant();
  });
  after(() => stack.stop());

  const fresh = async (options: KeyOptions = {}): Promise<TestClient> =>
    stack.clientWith(await stack.createKey(tenant.id, options));

  const askTimes = async (client: TestClient, times: number): Promise<Answer[]> => {
    const answers: Answer[] = [];
    for (let time = 0; time < times; time += 1) answers.push(await client.get('/me'));
    return answers;
  };

  it('count down on every answer, in the published header and in the draft’s', async () => {
    const client = await fresh();
    const answers = await askTimes(client, 5);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
    expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).to.deep.equal([
      '4',
      '3',
      '2',
      '1',
      '0',
    ]);
    expect(answers[0]?.headers['ratelimit-policy']).to.equal('"minute";q=5;w=60, "hour";q=1000;w=3600');
    expect(answers[1]?.headers.ratelimit).to.match(
      /^"minute";r=3;t=([1-9]|[1-5]\d|60), "hour";r=998;t=\d{1,4}$/,
    );
  });

  it('answer 429 past the minute, name the window and say when to come back', async () => {
    const client = await fresh();
    await askTimes(client, 5);
    const over = await client.get('/invoices');
    const [detail, ...others] = expectError(over, 429, 'rate_limited');
    expect(others).to.deep.equal([]);
    expect(detail).to.include({ window: 'minute', limit: 5 });
    expect(Number(over.headers['retry-after'])).to.be.within(1, 60).and.to.equal(detail?.retry_after);
    expect(over.headers['x-ratelimit-remaining']).to.equal('0');
    expect(over.headers.ratelimit).to.match(/^"minute";r=0;/);
  });

  it('answer 429 past the hour as well', async () => {
    const owner = await stack.createTenant('Premium');
    await stack.rows(owner.id, "update tenants set tier = 'premium' where tenant_id = $1", [owner.id]);
    const answers = await askTimes(owner.client, 9);
    expect(answers.map(({ status }) => status)).to.deep.equal([...Array(8).fill(200), 429]);
    expect(answers[0]?.headers['x-ratelimit-remaining']).to.equal('7');
    const last = answers[8] as Answer;
    const details = expectError(last, 429, 'rate_limited');
    expect(details.map(({ window, limit }) => [window, limit])).to.deep.equal([['hour', 8]]);
    expect(Number(last.headers['retry-after'])).to.be.within(61, 3600);
  });

  it('let exactly as many through as allowed when all come at once', async () => {
    const client = await fresh();
    const answers = await Promise.all(Array.from({ length: 40 }, () => client.get('/me')));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(5);
    for (const answer of answers) if (answer.status !== 200) expectError(answer, 429, 'rate_limited');
  });

  it('are counted per key, not per tenant', async () => {
    const [one, two] = [await fresh(), await fresh()];
    await askTimes(one, 5);
    expect((await one.get('/me')).status).to.equal(429);
    expect((await two.get('/me')).headers['x-ratelimit-remaining']).to.equal('4');
  });

  it('hold all API keys of an account together at five times its tier, and no other account', async () => {
    for (let nth = 0; nth < 5; nth += 1) {
      const statuses = (await askTimes(await fresh(), 5)).map(({ status }) => status);
      expect(statuses, `key ${nth + 1}`).to.deep.equal(Array(5).fill(200));
    }
    const over = await (await fresh()).get('/me');
    const [detail, ...others] = expectError(over, 429, 'rate_limited');
    expect(others).to.deep.equal([]);
    expect(detail).to.include({ window: 'minute', limit: 25 });
    expect(over.body.error.message).to.include(
      "all this account's API keys' limit of 25 requests per minute",
    );
    expect(Number(over.headers['retry-after'])).to.be.within(1, 60).and.to.equal(detail?.retry_after);
    expect(over.headers['x-ratelimit-remaining']).to.equal('0');
    expect(over.headers['ratelimit-policy']).to.match(/^"minute";q=25;w=60, /);
    const agent = await fresh({ kind: 'agent', scopes: ['read_invoices'] });
    const other = await stack.createTenant();
    for (const [name, client] of Object.entries({ agent, sandbox: tenant.sandbox, other: other.client }))
      expect((await client.get('/invoices')).status, name).to.equal(200);
  });

  it('tell what is left for all API keys of an account once that is less than what the key has left', async () => {
    for (let nth = 0; nth < 4; nth += 1) await askTimes(await fresh(), 5);
    await askTimes(await fresh(), 3);
    const answer = await (await fresh()).get('/me');
    expect(answer.headers['x-ratelimit-remaining']).to.equal('1');
    expect(answer.headers['ratelimit-policy']).to.equal('"minute";q=25;w=60, "hour";q=1000;w=3600');
    expect(answer.body.rate_limits[0]).to.include({ window: 'minute', limit: 25, remaining: 1 });
  });

  it('take nothing from the other keys of an account for requests that were over a key’s own limit', async () => {
    const client = await fresh();
    await Promise.all(Array.from({ length: 40 }, () => client.get('/me')));
    for (let nth = 0; nth < 4; nth += 1) {
      const statuses = (await askTimes(await fresh(), 5)).map(({ status }) => status);
      expect(statuses, `key ${nth + 1}`).to.deep.equal(Array(5).fill(200));
    }
  });

  it('count a key of a lower tier with the other keys of its account', async () => {
    for (let nth = 0; nth < 4; nth += 1) await askTimes(await fresh(), 5);
    for (const _ of [1, 2]) await askTimes(await fresh({ tier: 'starter' }), 2);
    expect((await (await fresh()).get('/me')).status).to.equal(200);
    expectError(await (await fresh({ tier: 'starter' })).get('/me'), 429, 'rate_limited');
  });

  it('count an agent’s requests of the REST API with those of all agents of its account', async () => {
    const agent = () => fresh({ kind: 'agent', scopes: ['read_invoices'] });
    for (let nth = 0; nth < 5; nth += 1) {
      const client = await agent();
      for (let time = 0; time < 5; time += 1) expect((await client.get('/invoices')).status).to.equal(200);
    }
    const over = await (await agent()).get('/invoices');
    expectError(over, 429, 'rate_limited');
    expect(over.body.error.message).to.include("all this account's agents' limit of 25 requests per minute");
    expect((await (await fresh()).get('/me')).status).to.equal(200);
  });

  it('count what fails after the key was known: 400, 403, 404, 405', async () => {
    const client = await fresh({ permissions: ['read'] });
    const answers = [
      await client.get('/invoices?limit=0'),
      await client.post('/invoices', {}),
      await client.get('/nothing'),
      await client.call('PUT', '/invoices', { body: {} }),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([400, 403, 404, 405]);
    expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).to.deep.equal([
      '4',
      '3',
      '2',
      '1',
    ]);
  });

  it('are shown by /me, which counts itself', async () => {
    const client = await fresh();
    const [, second] = await askTimes(client, 2);
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
    it(`of a standard tenant's key set to ${tier} are those of ${effective}`, async () => {
      const answer = await (await fresh({ tier })).get('/me');
      expect(answer.body.tier).to.equal(effective);
      expect(answer.body.rate_limits[0].limit).to.equal(limit);
    });
  }

  it('of a sandbox are those of starter, whatever the plan', async () => {
    await stack.rows(tenant.sandboxId, "update tenants set tier = 'premium' where tenant_id = $1", [
      tenant.sandboxId,
    ]);
    const key = await stack.createKey(tenant.sandboxId, { tier: 'standard' }, 'sandbox');
    const answers = await askTimes(stack.clientWith(key), 4);
    expect(answers[0]?.body.tier).to.equal('starter');
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 429]);
  });

  it('use up no Idempotency-Key: the write that met 429 is made under the same key later', async () => {
    const [spent, rested] = [await fresh(), await fresh()];
    await askTimes(spent, 5);
    const headers = { 'idempotency-key': randomUUID() };
    expectError(await spent.post('/customers', { company_name: 'Late' }, { headers }), 429, 'rate_limited');
    expect(await stack.rows(tenant.id, 'select key from idempotency_keys')).to.deep.equal([]);
    const made = await rested.post('/customers', { company_name: 'Late' }, { headers });
    expect(made.status, made.text).to.equal(201);
    expect(made.headers).to.not.have.property('x-idempotency-replay');
  });

  it('of wrong credentials stop the guessing of an address and nobody else', async () => {
    const client = await fresh();
    const guess = () => client.get('/me', { key: mintKey('api', 'live', randomBytes(32)).key });
    const missing = await client.get('/me', { key: null });
    expectError(missing, 401, 'unauthorized');
    const guesses: Answer[] = [];
    for (let time = 0; time < BAD_CREDENTIALS + 2; time += 1) guesses.push(await guess());
    expect(guesses.map(({ status }) => status)).to.deep.equal([401, 401, 401, 401, 429, 429]);
    const last = guesses.at(-1) as Answer;
    expectError(last, 429, 'rate_limited');
    expect(Number(last.headers['retry-after'])).to.be.within(1, 60);
    expectError(await client.get('/me', { key: 'garbage' }), 429, 'rate_limited');
    expect((await client.get('/me')).status, 'a valid key').to.equal(200);
    expectError(await client.get('/me', { key: null }), 401, 'unauthorized');
    const { status } = await fetch(`${stack.origin}/v1/openapi.json`);
    expect(status, 'what needs no key').to.equal(200);
  });
});
