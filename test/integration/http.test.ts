import { expect } from 'chai';
import { type Answer, TestClient } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { invoiceInput } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

describe('HTTP', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  /** The same key, without a version prefix. */
  let root: TestClient;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
    root = new TestClient(stack.origin, tenant.client.key, '');
  });
  after(() => stack.stop());

  const idOf = (answer: Answer): string => String(answer.headers['x-request-id']);

  describe('X-Request-Id', () => {
    for (const own of ['abc', 'a'.repeat(64), '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e', 'trace:1/2@x.y_z+=-']) {
      it(`keeps the caller's own: ${own}`, async () => {
        const headers = { 'x-request-id': own };
        expect(idOf(await tenant.client.get('/me', { headers }))).to.equal(own);
        const refused = await tenant.client.get('/nothing', { headers });
        expect(refused.body.error.requestId).to.equal(own);
      });
    }

    for (const own of ['', 'a'.repeat(65), 'a b', 'é', '<script>', '"quoted"', "a'b", 'a;b', '{}']) {
      it(`is ours when the caller's is not safe: ${own}`, async () => {
        const headers = { 'x-request-id': Buffer.from(own).toString('latin1') };
        const given = idOf(await tenant.client.get('/me', { headers }));
        expect(given).to.match(/^[0-9a-f-]{36}$/);
      });
    }

    it('is on every answer, differs each time, and is quoted by every error', async () => {
      const { client } = tenant;
      const good = [
        await client.get('/me'),
        await client.get('/invoices'),
        await client.post('/invoices', invoiceInput()),
      ];
      const bad = [
        await client.get('/me', { key: null }),
        await client.get('/nothing'),
        await client.call('PUT', '/invoices', { body: {} }),
        await client.get('/invoices?limit=0'),
        await client.post('/invoices', {}),
        await client.get('/invoices/x'),
        await client.get('/me', { headers: { accept: 'text/html' } }),
        await root.send('GET', '/nowhere'),
      ];
      const open = ['/healthz', '/readyz', '/metrics', '/docs', '/docs/start.js', '/v1/openapi.json'];
      const all = [...good, ...bad, ...(await Promise.all(open.map((path) => root.send('GET', path))))];
      expect(new Set(all.map(idOf)).size).to.equal(all.length);
      for (const answer of all) expect(idOf(answer)).to.match(/^[0-9a-f-]{36}$/);
      for (const answer of bad) expectError(answer, answer.status, answer.body.error.code);
    });
  });

  describe('a route that does not exist', () => {
    it('is 404 with the nearest that does', async () => {
      const misses: [string, string][] = [
        ['/invoice', '/invoices'],
        ['/workorders', '/work-orders'],
        ['/customer/x', '/customers'],
        ['/api-key', '/api-keys'],
      ];
      for (const [path, near] of misses) {
        const answer = await tenant.client.get(path);
        expectError(answer, 404, 'not_found');
        expect(answer.body.error.message).to.include(`Did you mean ${near}?`);
      }
      const wild = await tenant.client.get('/zzz');
      expect(wild.body.error.message).to.not.include('Did you mean');
    });

    it('is 404 in the envelope outside the prefixes too, whatever its bytes', async () => {
      for (const path of [
        '/',
        '/nowhere',
        '/v2/invoices',
        '/v1x',
        '/invoices',
        '/%',
        '/%ff',
        '/..%2f..',
        `/${'a'.repeat(2000)}`,
      ]) {
        expectError(await root.send('GET', path), 404, 'not_found');
      }
      for (const path of ['/%', '/%ff/%00', '/invoices/%', '/invoices/a/b', '//invoices']) {
        expectError(await tenant.client.get(path), 404, 'not_found');
      }
    });
  });

  it('answers 405 with Allow for a method that a route does not have', async () => {
    const cases: [string, string, string][] = [
      ['DELETE', '/invoices', 'GET, POST'],
      ['PUT', '/invoices/x', 'GET, PATCH'],
      ['POST', '/me', 'GET'],
      ['OPTIONS', '/work-orders', 'GET, POST'],
      ['GET', '/api-keys/x/roll', 'POST'],
      ['PATCH', '/api-keys/x', 'GET, DELETE'],
      ['POST', '/openapi.json', 'GET'],
    ];
    for (const [method, path, allow] of cases) {
      const answer = await tenant.client.send(method, path);
      expectError(answer, 405, 'method_not_allowed');
      expect(String(answer.headers.allow).split(', ').sort()).to.deep.equal(allow.split(', ').sort());
    }
  });

  describe('Accept', () => {
    const taken = [
      '*/*',
      'application/json',
      'application/*',
      'text/html, */*;q=0.1',
      'application/json;q=0.5, text/html',
      'APPLICATION/JSON',
      'application/json; charset=utf-8',
      'application/json;v=1;q=0.5',
      '',
    ];
    for (const accept of taken) {
      it(`"${accept}" is answered in JSON`, async () => {
        const answer = await tenant.client.get('/invoices', { headers: { accept } });
        expect(answer.status, answer.text).to.equal(200);
        expect(answer.headers['content-type']).to.match(/^application\/json/);
      });
    }

    for (const accept of ['text/html', 'application/xml, text/*', 'application/json;q=0', 'image/png']) {
      it(`"${accept}" excludes JSON: 406, told in JSON all the same`, async () => {
        const answer = await tenant.client.get('/invoices', { headers: { accept } });
        expectError(answer, 406, 'not_acceptable');
        expect(answer.headers['content-type']).to.match(/^application\/json/);
        const written = await tenant.client.post(
          '/customers',
          { company_name: 'Unseen' },
          { headers: { accept } },
        );
        expectError(written, 406, 'not_acceptable');
      });
    }

    it('that excludes JSON wrote nothing', async () => {
      const rows = await stack.rows(tenant.id, "select id from customers where company_name = 'Unseen'");
      expect(rows).to.deep.equal([]);
    });
  });

  it('answers HEAD like GET, without the body', async () => {
    const { id } = (await tenant.client.post('/invoices', invoiceInput())).body;
    for (const path of ['/invoices', `/invoices/${id}`, '/me', '/openapi.json', '/invoices/x']) {
      const [get, head] = [await tenant.client.send('GET', path), await tenant.client.send('HEAD', path)];
      expect(head.status, path).to.equal(get.status);
      expect(head.text).to.equal('');
      expect(head.headers['content-type']).to.equal(get.headers['content-type']);
    }
  });

  it('serves /v1 and /api/v1 alike, and Location has the prefix that was asked', async () => {
    const long = new TestClient(stack.origin, tenant.client.key, '/api/v1');
    const made = await long.post('/customers', { company_name: 'Prefixed' });
    expect(made.headers.location).to.equal(`/api/v1/customers/${made.body.id}`);
    const order = await long.post('/work-orders', { service_type: 'tow' });
    expect(order.headers.location).to.equal(`/api/v1/work-orders/${order.body.id}`);
    for (const path of [`/customers/${made.body.id}`, '/customers', '/invoices', '/nothing']) {
      const [short, other] = [await tenant.client.get(path), await long.get(path)];
      expect(other.status).to.equal(short.status);
      if (other.status === 200) expect(other.text).to.equal(short.text);
    }
    const patched = await long.patch(`/customers/${made.body.id}`, { city: 'Albany' });
    expect(patched.body.city).to.equal('Albany');
  });

  describe('for the platform, without a key,', () => {
    const open = (path: string) => root.send('GET', path, { key: null });

    it('/healthz says that the process lives', async () => {
      const answer = await open('/healthz');
      expect([answer.status, answer.body]).to.deep.equal([200, { ok: true }]);
      expect(answer.headers['cache-control']).to.equal('no-store');
    });

    it('/readyz says of each store whether it answers and in how many ms', async () => {
      const answer = await open('/readyz');
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body.ok).to.equal(true);
      expect(answer.body.checks).to.have.all.keys('postgres', 'queue', 'migrations', 'writes');
      for (const check of Object.values(answer.body.checks) as { ok: boolean; ms: number }[]) {
        expect(check.ok).to.equal(true);
        expect(check.ms).to.be.a('number').and.at.least(0);
      }
    });

    it('/readyz is 503 when the migrations are behind, and names no secret', async () => {
      await stack.asOwner(
        "update schema_migrations set name = 'an_older_one' where id = (select max(id) from schema_migrations)",
      );
      const answer = await open('/readyz');
      expect(answer.status).to.equal(503);
      expect(answer.body.ok).to.equal(false);
      expect(answer.body.checks.migrations).to.include({ ok: false });
      expect(answer.body.checks.postgres).to.include({ ok: true });
      expect(answer.text).to.not.include('postgres://');
      await stack.asOwner(
        `update schema_migrations set name = '${stack.runtime.migrationHead}' where id = (select max(id) from schema_migrations)`,
      );
      expect((await open('/readyz')).status).to.equal(200);
    });

    it('/metrics counts 401 and 429 under the template of their route', async () => {
      const small = await TestStack.start({
        clock: false,
        environment: { RATE_LIMIT_TIERS: '{"standard":{"minute":1,"hour":1000}}' },
      });
      try {
        const { client } = await small.createTenant();
        const id = '01910000-0000-7000-8000-000000000000';
        expect((await client.get(`/work-orders/${id}`, { key: null })).status).to.equal(401);
        expect((await client.get('/customers')).status).to.equal(200);
        expect((await client.get('/drivers')).status).to.equal(429);
        expect((await client.send('PUT', '/trucks')).status).to.equal(429);
        const { text } = await new TestClient(small.origin, '', '').send('GET', '/metrics');
        for (const [method, route, status] of [
          ['GET', '/work-orders/:id', 401],
          ['GET', '/drivers', 429],
          ['PUT', '/trucks', 429],
        ])
          expect(text).to.include(
            `tow_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"} 1`,
          );
        expect(text).to.not.include('route="unmatched"');
      } finally {
        await small.stop();
      }
    });

    it('/metrics counts requests by route template and commands by type, and names no tenant or id', async () => {
      const { id } = (await tenant.client.post('/invoices', invoiceInput())).body;
      await tenant.client.get(`/invoices/${id}`);
      const answer = await open('/metrics');
      expect(answer.status).to.equal(200);
      expect(answer.headers['content-type']).to.match(/^text\/plain/);
      const { text } = answer;
      expect(text).to.match(
        /tow_http_request_duration_seconds_count\{method="GET",route="\/invoices\/:id",status="200"\} [1-9]/,
      );
      expect(text).to.match(/tow_commands_total\{type="invoice.create",outcome="ok"\} [1-9]/);
      const gauges = [
        'tow_write_batch_commands',
        'tow_write_commit_duration_seconds',
        'tow_operations_pending',
        'tow_queue_jobs',
      ];
      for (const name of [
        ...gauges,
        'tow_postgres_connections',
        'process_cpu_user_seconds_total',
        'nodejs_eventloop_lag_seconds',
      ]) {
        expect(text).to.include(name);
      }
      expect(text).to.not.include(id).and.not.include(tenant.id).and.not.include(tenant.client.key);
    });
  });

  describe('the description', () => {
    it('is public and the same bytes at both prefixes', async () => {
      const answers = await Promise.all(
        ['/v1', '/api/v1'].map((prefix) => root.send('GET', `${prefix}/openapi.json`, { key: null })),
      );
      const [short, long] = answers as [Answer, Answer];
      expect([short.status, long.status]).to.deep.equal([200, 200]);
      expect(long.text).to.equal(short.text);
      expect(short.headers['content-type']).to.match(/^application\/json/);
      expect(short.body).to.include({ openapi: '3.0.3' });
      expect(short.body.info.version).to.equal('1.0.0');
      expect(short.body.servers).to.deep.equal([{ url: '/api/v1' }]);
      expect(Object.keys(short.body.paths)).to.include.members([
        '/invoices',
        '/invoices/{id}',
        '/work-orders',
        '/customers',
        '/openapi.json',
      ]);
    });

    it('has a page whose every part is ours and loads', async () => {
      const page = await root.send('GET', '/docs', { key: null });
      expect(page.status).to.equal(200);
      expect(page.headers['content-type']).to.match(/^text\/html/);
      expect(page.text).to.not.match(/https?:|src="\/\/|href="\/\//);
      expect(page.headers['content-security-policy']).to.match(/default-src 'self'/);
      const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => String(path));
      expect(parts).to.have.length.greaterThan(2);
      for (const path of parts) {
        const part = await root.send('GET', path, { key: null });
        expect(part.status, path).to.equal(200);
        expect(part.text.length, path).to.be.greaterThan(50);
      }
      const start = await root.send('GET', '/docs/start.js', { key: null });
      const [, document] = /url: '([^']+)'/.exec(start.text) ?? [];
      expect((await root.send('GET', String(document), { key: null })).body.openapi).to.equal('3.0.3');
    });

    it('serves no other file of the disk', async () => {
      for (const path of [
        '/docs/../package.json',
        '/docs/%2e%2e/package.json',
        '/docs/..%2fpackage.json',
        '/docs/package.json',
      ]) {
        const answer = await root.send('GET', path, { key: null });
        expect(answer.status).to.not.equal(200);
        expect(answer.text).to.not.include('"dependencies"');
      }
    });
  });
});
