import { expect } from 'chai';
import type { SqlQuery, Transaction } from '../../../shared/platform/postgres/database.js';
import { AccountQuota } from '../../../shared/records/account-quota.js';
import { LIVE_KEY_QUOTA } from '../../../shared/resources/api-keys/live-key-quota.js';
import type { TestClient, TestResponse } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';
import { explainRun } from '../../support/writes/explain.js';

const MAX_LIVE_KEYS = 100;
const SCOPES = ['read_invoices'];

describe('limit of live keys per account', () => {
  const stack = useStack();
  let tenant: TestTenant;

  beforeEach(async () => {
    tenant = await stack.createTenant();
  });

  /** Adds keys until the account has `count` live keys. Every second new key is an agent key. */
  const createKeysUpTo = async (count: number): Promise<void> => {
    const [row] = await stack.rows<{ count: number }>(
      tenant.id,
      'select count(*)::int as count from api_keys where tenant_id = $1',
      [tenant.id],
    );
    const missing = count - (row?.count ?? 0);
    const options = (nth: number) => (nth % 2 === 0 ? {} : { kind: 'agent' as const, scopes: SCOPES });
    await Promise.all(Array.from({ length: missing }, (_, nth) => stack.createKey(tenant.id, options(nth))));
  };
  const postKey = (client: TestClient = tenant.client): Promise<TestResponse> =>
    client.post('/api-keys', { name: 'one more' });
  const createKey = async (): Promise<TestResponse['body']> => {
    const response = await postKey();
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };
  const expectLimitReached = (response: TestResponse) => {
    expectError(response, 409, 'conflict');
    expect(response.body.error.message).to.match(/100 live keys at most.*Revoke one.*overlap_hours 0/);
  };

  it(`an account has at most ${MAX_LIVE_KEYS} live API and agent keys, not counting its sandbox and other accounts`, async () => {
    await createKeysUpTo(MAX_LIVE_KEYS - 1);
    await createKey();
    expectLimitReached(await postKey());
    expectLimitReached(await tenant.client.post('/agent-keys', { name: 'agent', scopes: SCOPES }));
    for (const client of [tenant.sandbox, (await stack.createTenant()).client])
      expect((await postKey(client)).status).to.equal(201);
    expect((await tenant.client.get('/me')).status, 'an existing key still works').to.equal(200);
  });

  it('a revoked or expired key makes room for a new live key', async () => {
    await createKeysUpTo(MAX_LIVE_KEYS - 2);
    const [revoked, expiring] = [await createKey(), await createKey()];
    expectLimitReached(await postKey());
    expect((await tenant.client.delete(`/api-keys/${revoked.id}`)).status).to.equal(200);
    await createKey();
    expectLimitReached(await postKey());
    const past =
      "update api_keys set expires_at = now() - interval '1 second' where tenant_id = $1 and id = $2";
    await stack.rows(tenant.id, past, [tenant.id, expiring.id]);
    await createKey();
    expectLimitReached(await postKey());
  });

  it('concurrent requests never exceed the limit of live keys', async () => {
    await createKeysUpTo(MAX_LIVE_KEYS - 2);
    const responses = await Promise.all(Array.from({ length: 10 }, () => postKey()));
    expect(responses.filter(({ status }) => status === 201)).to.have.length(2);
    for (const response of responses.filter(({ status }) => status !== 201)) expectLimitReached(response);
  });

  it('a rolled key counts as live until its overlap ends, and a key can always be rolled without overlap', async () => {
    await createKeysUpTo(MAX_LIVE_KEYS - 2);
    const first = await createKey();
    const second = await tenant.client.post(`/api-keys/${first.id}/roll`);
    expect(second.status, second.text).to.equal(201);
    expectLimitReached(await tenant.client.post(`/api-keys/${second.body.id}/roll`));
    expectLimitReached(await postKey());
    const third = await tenant.client.post(`/api-keys/${second.body.id}/roll`, { overlap_hours: 0 });
    expect(third.status, third.text).to.equal(201);
    expectLimitReached(await postKey());
  });

  it('live keys are counted through the index api_keys_live, however many keys have ended', async () => {
    const ended = `insert into api_keys (tenant_id, id, kind, name, prefix, last_four, key_hash, created_at, expires_at, revoked_at)
      select $1, gen_random_uuid(), 'api', 'ended', 'tk_live_', 'xxxx', sha256(nth::text::bytea), now(),
        case when nth % 2 = 0 then now() - interval '1 day' end, case when nth % 2 = 1 then now() end
      from generate_series(1, 20000) nth`;
    await stack.rows(tenant.id, ended, [tenant.id]);
    const sentQueries: SqlQuery[] = [];
    const query = async (sentQuery: SqlQuery) => {
      sentQueries.push(sentQuery);
      return [];
    };
    await AccountQuota.load({ query } as unknown as Transaction, [{ tenantId: tenant.id }], LIVE_KEY_QUOTA);
    const count = sentQueries.find(({ name }) => name === 'count-places-api_keys') as SqlQuery;
    const values = [`{${tenant.id}}`];
    const nodes = await explainRun(stack.runtime.db, tenant.id, { ...count, values });
    const scan = nodes.find((node) => node['Relation Name'] === 'api_keys');
    expect(scan).to.include({ 'Index Name': 'api_keys_live', 'Actual Rows': 1 });
    expect(scan?.['Rows Removed by Filter'] ?? 0).to.equal(0);
  });
});
