import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { expectError } from '../../support/expect-error.js';
import { eventually } from '../../support/poll.js';
import { getStores } from '../../support/stores.js';
import { useOwnStack, useTenant } from '../../support/use-stack.js';

describe('while PostgreSQL is unreachable', () => {
  const stack = useOwnStack({ environment: { WRITE_TIMEOUT_MS: '1000' } });
  const tenant = useTenant(stack);
  let uncachedKey: string;

  before(async () => {
    uncachedKey = await stack.createKey(tenant.id);
    expect((await tenant.client.get('/me')).status).to.equal(200);
  });
  after(async () => {
    await allowConnections(true);
  });

  /** Allows or refuses new connections to the database. Refusing also ends every open session. */
  async function allowConnections(allowed: boolean): Promise<void> {
    const name = new URL(stack.databaseUrl).pathname.slice(1);
    const client = new pg.Client({ connectionString: (await getStores()).superuserUrl });
    await client.connect();
    try {
      await client.query(`alter database ${name} allow_connections ${allowed}`);
      if (!allowed) {
        await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
          name,
        ]);
      }
    } finally {
      await client.end();
    }
  }

  it('reads and writes return 503, never 401 or 404, and work again once PostgreSQL is reachable', async () => {
    await allowConnections(false);
    const uncachedClient = stack.createClient(uncachedKey);
    const retryOptions = { headers: { 'idempotency-key': randomUUID() } };
    for (const response of [
      await uncachedClient.get('/me'),
      await uncachedClient.get('/invoices'),
      await uncachedClient.post('/customers', { company_name: 'C' }),
      await uncachedClient.get(`/invoices/${randomUUID()}`),
    ]) {
      expectError(response, 503, 'service_unavailable');
      expect(response.headers['retry-after']).to.equal('1');
      expect(response.text).to.not.match(/database|tow_test|ECONN|terminat/i);
    }
    const refused = await tenant.client.post('/customers', { company_name: 'Patient' }, retryOptions);
    expectError(refused, 503, 'service_unavailable');

    const health = await fetch(`${stack.origin}/healthz`);
    expect(health.status).to.equal(200);
    const readiness = await fetch(`${stack.origin}/readyz`);
    expect(readiness.status).to.equal(503);
    const { ok, checks } = (await readiness.json()) as {
      ok: boolean;
      checks: Record<string, { ok: boolean; error: string }>;
    };
    expect(ok).to.equal(false);
    expect(checks.postgres).to.include({ ok: false, error: 'cannot be reached' });

    await allowConnections(true);
    await eventually('reads work again', async () => (await uncachedClient.get('/invoices')).status === 200);
    const created = await eventually('writes work again', async () => {
      const response = await tenant.client.post('/customers', { company_name: 'Patient' }, retryOptions);
      return response.status === 201 && response;
    });
    const rows = await stack.rows(tenant.id, "select id from customers where company_name = 'Patient'");
    expect(rows).to.deep.equal([{ id: created.body.id }]);
    expect((await fetch(`${stack.origin}/readyz`)).status).to.equal(200);
  });
});
