import { expect } from 'chai';
import type { Statement, Transaction } from '../../shared/platform/postgres.js';
import { LIVE_KEYS } from '../../shared/resources/api-keys/live-keys.js';
import { Places } from '../../shared/resources/places.js';
import type { Answer, TestClient } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { runOf } from '../support/explain.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const MAX_LIVE_KEYS = 100;
const SCOPES = ['read_invoices'];

describe('the live keys of an account', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
  });
  after(() => stack.stop());
  beforeEach(async () => {
    tenant = await stack.createTenant();
  });

  /** Stores keys until the account has so many live ones, half of them of agents. */
  const fillTo = async (count: number): Promise<void> => {
    const [row] = await stack.rows<{ count: number }>(
      tenant.id,
      'select count(*)::int as count from api_keys where tenant_id = $1',
      [tenant.id],
    );
    const missing = count - (row?.count ?? 0);
    const options = (nth: number) => (nth % 2 === 0 ? {} : { kind: 'agent' as const, scopes: SCOPES });
    await Promise.all(Array.from({ length: missing }, (_, nth) => stack.createKey(tenant.id, options(nth))));
  };
  const make = (client: TestClient = tenant.client): Promise<Answer> =>
    client.post('/api-keys', { name: 'one more' });
  const made = async (): Promise<Answer['body']> => {
    const answer = await make();
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const expectFull = (answer: Answer) => {
    expectError(answer, 409, 'conflict');
    expect(answer.body.error.message).to.match(/100 live keys at most.*Revoke one.*overlap_hours 0/);
  };

  it(`are ${MAX_LIVE_KEYS} at most, API keys and agent keys together; sandbox and other accounts have their own`, async () => {
    await fillTo(MAX_LIVE_KEYS - 1);
    await made();
    expectFull(await make());
    expectFull(await tenant.client.post('/agent-keys', { name: 'agent', scopes: SCOPES }));
    for (const client of [tenant.sandbox, (await stack.createTenant()).client])
      expect((await make(client)).status).to.equal(201);
    expect((await tenant.client.get('/me')).status, 'a live key goes on').to.equal(200);
  });

  it('make room when one is revoked or expires', async () => {
    await fillTo(MAX_LIVE_KEYS - 2);
    const [revoked, expiring] = [await made(), await made()];
    expectFull(await make());
    expect((await tenant.client.delete(`/api-keys/${revoked.id}`)).status).to.equal(200);
    await made();
    expectFull(await make());
    const past =
      "update api_keys set expires_at = now() - interval '1 second' where tenant_id = $1 and id = $2";
    await stack.rows(tenant.id, past, [tenant.id, expiring.id]);
    await made();
    expectFull(await make());
  });

  it('are never more when several are made at once', async () => {
    await fillTo(MAX_LIVE_KEYS - 2);
    const answers = await Promise.all(Array.from({ length: 10 }, () => make()));
    expect(answers.filter(({ status }) => status === 201)).to.have.length(2);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectFull(answer);
  });

  it('count a rolled key until its overlap ends, and can always be rolled without one', async () => {
    await fillTo(MAX_LIVE_KEYS - 2);
    const first = await made();
    const second = await tenant.client.post(`/api-keys/${first.id}/roll`);
    expect(second.status, second.text).to.equal(201);
    expectFull(await tenant.client.post(`/api-keys/${second.body.id}/roll`));
    expectFull(await make());
    const third = await tenant.client.post(`/api-keys/${second.body.id}/roll`, { overlap_hours: 0 });
    expect(third.status, third.text).to.equal(201);
    expectFull(await make());
  });

  it('are counted from an index of live keys, however many have ended', async () => {
    const ended = `insert into api_keys (tenant_id, id, kind, name, prefix, last_four, key_hash, created_at, expires_at, revoked_at)
      select $1, gen_random_uuid(), 'api', 'ended', 'tk_live_', 'xxxx', sha256(nth::text::bytea), now(),
        case when nth % 2 = 0 then now() - interval '1 day' end, case when nth % 2 = 1 then now() end
      from generate_series(1, 20000) nth`;
    await stack.rows(tenant.id, ended, [tenant.id]);
    const sent: Statement[] = [];
    const query = async (statement: Statement) => {
      sent.push(statement);
      return [];
    };
    await Places.count({ query } as unknown as Transaction, [{ tenantId: tenant.id }], LIVE_KEYS);
    const count = sent.find(({ name }) => name === 'count-places-api_keys') as Statement;
    const values = [`{${tenant.id}}`];
    const nodes = await runOf(stack.runtime.db, tenant.id, { ...count, values });
    const scan = nodes.find((node) => node['Relation Name'] === 'api_keys');
    expect(scan).to.include({ 'Index Name': 'api_keys_live', 'Actual Rows': 1 });
    expect(scan?.['Rows Removed by Filter'] ?? 0).to.equal(0);
  });
});
