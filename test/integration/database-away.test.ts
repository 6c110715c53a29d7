import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { expectError } from '../support/expect-error.js';
import { eventually } from '../support/poll.js';
import { TestStack, type TestTenant } from '../support/stack.js';
import { getStores } from '../support/stores.js';

describe('while PostgreSQL is away', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let unseenKey: string;

  before(async () => {
    stack = await TestStack.start({ environment: { WRITE_TIMEOUT_MS: '1000' } });
    tenant = await stack.createTenant();
    unseenKey = await stack.createKey(tenant.id);
    expect((await tenant.client.get('/me')).status).to.equal(200);
  });
  after(async () => {
    await allowConnections(true);
    await stack.stop();
  });

  /** Turns the database's door: closed, every session is ended and no new one is let in. */
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

  it('answers 503 to reads and writes, never 401 or 404, and goes on by itself when it is back', async () => {
    await allowConnections(false);
    const stranger = stack.clientWith(unseenKey);
    const retried = { headers: { 'idempotency-key': randomUUID() } };
    for (const answer of [
      await stranger.get('/me'),
      await stranger.get('/invoices'),
      await stranger.post('/customers', { company_name: 'C' }),
      await stranger.get(`/invoices/${randomUUID()}`),
    ]) {
      expectError(answer, 503, 'service_unavailable');
      expect(answer.headers['retry-after']).to.equal('1');
      expect(answer.text).to.not.match(/database|tow_test|ECONN|terminat/i);
    }
    const refused = await tenant.client.post('/customers', { company_name: 'Patient' }, retried);
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
    await eventually('reads work again', async () => (await stranger.get('/invoices')).status === 200);
    const made = await eventually('writes work again', async () => {
      const answer = await tenant.client.post('/customers', { company_name: 'Patient' }, retried);
      return answer.status === 201 && answer;
    });
    const rows = await stack.rows(tenant.id, "select id from customers where company_name = 'Patient'");
    expect(rows).to.deep.equal([{ id: made.body.id }]);
    expect((await fetch(`${stack.origin}/readyz`)).status).to.equal(200);
  });
});
