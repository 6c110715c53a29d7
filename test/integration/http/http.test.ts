import { expect } from 'chai';
import { TestClient, type TestResponse } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe('HTTP conventions', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  /** Sends the tenant's key, as `tenant.client` does, but does not put /v1 before a path. */
  let root: TestClient;

  before(async () => {
    root = new TestClient(stack.origin, tenant.client.key, '');
  });

  const getRequestId = (response: TestResponse): string => String(response.headers['x-request-id']);

  describe('X-Request-Id', () => {
    for (const requestId of [
      'abc',
      'a'.repeat(64),
      '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e',
      'trace:1/2@x.y_z+=-',
    ]) {
      it(`X-Request-Id keeps a safe value of the client: ${requestId}`, async () => {
        const headers = { 'x-request-id': requestId };
        expect(getRequestId(await tenant.client.get('/me', { headers }))).to.equal(requestId);
        const refused = await tenant.client.get('/nothing', { headers });
        expect(refused.body.error.requestId).to.equal(requestId);
      });
    }

    for (const requestId of ['', 'a'.repeat(65), 'a b', 'é', '<script>', '"quoted"', "a'b", 'a;b', '{}']) {
      it(`X-Request-Id is generated if the value of the client is not safe: ${requestId}`, async () => {
        const headers = { 'x-request-id': Buffer.from(requestId).toString('latin1') };
        const generated = getRequestId(await tenant.client.get('/me', { headers }));
        expect(generated).to.match(/^[0-9a-f-]{36}$/);
      });
    }

    it('X-Request-Id is on every response, is unique, and is repeated in every error', async () => {
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
      const publicPaths = ['/healthz', '/readyz', '/metrics', '/docs', '/docs/start.js', '/v1/openapi.json'];
      const all = [
        ...good,
        ...bad,
        ...(await Promise.all(publicPaths.map((path) => root.send('GET', path)))),
      ];
      expect(new Set(all.map(getRequestId)).size).to.equal(all.length);
      for (const response of all) expect(getRequestId(response)).to.match(/^[0-9a-f-]{36}$/);
      for (const response of bad) expectError(response, response.status, response.body.error.code);
    });
  });

  describe('unknown routes', () => {
    it('an unknown route is 404 and suggests the nearest route', async () => {
      const suggestions: [string, string][] = [
        ['/invoice', '/invoices'],
        ['/workorders', '/work-orders'],
        ['/customer/x', '/customers'],
        ['/api-key', '/api-keys'],
      ];
      for (const [path, nearest] of suggestions) {
        const response = await tenant.client.get(path);
        expectError(response, 404, 'not_found');
        expect(response.body.error.message).to.include(`Did you mean ${nearest}?`);
      }
      const unrelated = await tenant.client.get('/zzz');
      expect(unrelated.body.error.message).to.not.include('Did you mean');
    });

    it('an unknown path is 404 with the error envelope, even outside the prefixes and with odd bytes', async () => {
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

  it('a method that a route does not support is 405 with Allow', async () => {
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
      const response = await tenant.client.send(method, path);
      expectError(response, 405, 'method_not_allowed');
      expect(String(response.headers.allow).split(', ').sort()).to.deep.equal(allow.split(', ').sort());
    }
  });

  describe('Accept', () => {
    const acceptedTypes = [
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
    for (const accept of acceptedTypes) {
      it(`Accept "${accept}" gets a JSON response`, async () => {
        const response = await tenant.client.get('/invoices', { headers: { accept } });
        expect(response.status, response.text).to.equal(200);
        expect(response.headers['content-type']).to.match(/^application\/json/);
      });
    }

    for (const accept of ['text/html', 'application/xml, text/*', 'application/json;q=0', 'image/png']) {
      it(`Accept "${accept}" excludes JSON and is 406 with a JSON error`, async () => {
        const response = await tenant.client.get('/invoices', { headers: { accept } });
        expectError(response, 406, 'not_acceptable');
        expect(response.headers['content-type']).to.match(/^application\/json/);
        const refusedWrite = await tenant.client.post(
          '/customers',
          { company_name: 'Unseen' },
          { headers: { accept } },
        );
        expectError(refusedWrite, 406, 'not_acceptable');
      });
    }

    it('a write whose Accept excludes JSON stores nothing', async () => {
      const rows = await stack.rows(tenant.id, "select id from customers where company_name = 'Unseen'");
      expect(rows).to.deep.equal([]);
    });
  });

  it('HEAD answers like GET, without the body', async () => {
    const { id } = (await tenant.client.post('/invoices', invoiceInput())).body;
    for (const path of ['/invoices', `/invoices/${id}`, '/me', '/openapi.json', '/invoices/x']) {
      const [get, head] = [await tenant.client.send('GET', path), await tenant.client.send('HEAD', path)];
      expect(head.status, path).to.equal(get.status);
      expect(head.text).to.equal('');
      expect(head.headers['content-type']).to.equal(get.headers['content-type']);
    }
  });

  it('/v1 and /api/v1 serve the same API, and Location keeps the requested prefix', async () => {
    const apiClient = new TestClient(stack.origin, tenant.client.key, '/api/v1');
    const created = await apiClient.post('/customers', { company_name: 'Prefixed' });
    expect(created.headers.location).to.equal(`/api/v1/customers/${created.body.id}`);
    const workOrder = await apiClient.post('/work-orders', { service_type: 'tow' });
    expect(workOrder.headers.location).to.equal(`/api/v1/work-orders/${workOrder.body.id}`);
    for (const path of [`/customers/${created.body.id}`, '/customers', '/invoices', '/nothing']) {
      const [short, other] = [await tenant.client.get(path), await apiClient.get(path)];
      expect(other.status).to.equal(short.status);
      if (other.status === 200) expect(other.text).to.equal(short.text);
    }
    const patched = await apiClient.patch(`/customers/${created.body.id}`, { city: 'Albany' });
    expect(patched.body.city).to.equal('Albany');
  });

  describe('health and metrics endpoints without a key', () => {
    const getWithoutKey = (path: string) => root.send('GET', path, { key: null });

    it('/healthz is 200 while the process runs', async () => {
      const response = await getWithoutKey('/healthz');
      expect([response.status, response.body]).to.deep.equal([200, { ok: true }]);
      expect(response.headers['cache-control']).to.equal('no-store');
    });

    for (const path of ['/healthz', '/readyz', '/metrics'])
      it(`${path} answers GET and HEAD, and 405 with Allow to other methods`, async () => {
        const head = await root.send('HEAD', path, { key: null });
        expect([head.status, head.text]).to.deep.equal([200, '']);
        for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
          const response = await root.send(method, path, { key: null });
          expectError(response, 405, 'method_not_allowed');
          expect(response.headers.allow).to.equal('GET');
        }
      });

    it('/readyz reports for each store whether it responds and in how many ms', async () => {
      const response = await getWithoutKey('/readyz');
      expect(response.status, response.text).to.equal(200);
      expect(response.body.ok).to.equal(true);
      expect(response.body.checks).to.have.all.keys('postgres', 'queue', 'migrations', 'writes');
      for (const check of Object.values(response.body.checks) as { ok: boolean; ms: number }[]) {
        expect(check.ok).to.equal(true);
        expect(check.ms).to.be.a('number').and.at.least(0);
      }
    });

    it('/readyz is 503 when the migrations are behind, and shows no secret', async () => {
      await stack.runAsOwner(
        "update schema_migrations set name = 'an_older_one' where id = (select max(id) from schema_migrations)",
      );
      const response = await getWithoutKey('/readyz');
      expect(response.status).to.equal(503);
      expect(response.body.ok).to.equal(false);
      expect(response.body.checks.migrations).to.include({ ok: false });
      expect(response.body.checks.postgres).to.include({ ok: true });
      expect(response.text).to.not.include('postgres://');
      await stack.runAsOwner(
        `update schema_migrations set name = '${stack.runtime.neededSchema.migrationHead}' where id = (select max(id) from schema_migrations)`,
      );
      expect((await getWithoutKey('/readyz')).status).to.equal(200);
    });

    it('/metrics counts requests by route template and commands by type, and shows no tenant or id', async () => {
      const { id } = (await tenant.client.post('/invoices', invoiceInput())).body;
      await tenant.client.get(`/invoices/${id}`);
      const response = await getWithoutKey('/metrics');
      expect(response.status).to.equal(200);
      expect(response.headers['content-type']).to.match(/^text\/plain/);
      const { text } = response;
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

  describe('OpenAPI document and docs page', () => {
    it('the OpenAPI document is public and identical at both prefixes', async () => {
      const responses = await Promise.all(
        ['/v1', '/api/v1'].map((prefix) => root.send('GET', `${prefix}/openapi.json`, { key: null })),
      );
      const [short, long] = responses as [TestResponse, TestResponse];
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

    it('the page /docs refers only to files of this server, and all of them load', async () => {
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

    it('the path /docs serves no other file from disk', async () => {
      for (const path of [
        '/docs/../package.json',
        '/docs/%2e%2e/package.json',
        '/docs/..%2fpackage.json',
        '/docs/package.json',
      ]) {
        const response = await root.send('GET', path, { key: null });
        expect(response.status).to.not.equal(200);
        expect(response.text).to.not.include('"dependencies"');
      }
    });
  });
});
