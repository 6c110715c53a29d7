import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { addQueueGauges } from '../../shared/queues/gauges.js';
import { openWritesQueue } from '../../shared/queues/writes.js';
import { startWritesWorker } from '../../workers/writes/index.js';
import { TestClient } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { eventually } from '../support/poll.js';
import { invoiceInput, UNKNOWN_ID } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Value of one line of a Prometheus page; undefined when it is not there. */
function sample(page: string, line: string): number | undefined {
  const found = page.split('\n').find((text) => text.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
}

describe('HTTP', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  /** Asks for paths outside the versions, without a key. */
  let root: TestClient;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
    root = new TestClient(stack.origin, '', '');
  });
  after(() => stack.stop());

  describe('X-Request-Id', () => {
    const send = (own: string | undefined, path = '/me') =>
      tenant.client.send('GET', path, { headers: own === undefined ? {} : { 'x-request-id': own } });

    it("is the caller's own when that is at most 64 safe characters, in errors too", async () => {
      for (const own of ['a', 'trace.1:2@host/3+4=5_6-7', 'x'.repeat(64)]) {
        expect((await send(own)).headers['x-request-id']).to.equal(own);
        const missing = await send(own, '/nothing');
        expectError(missing, 404, 'not_found');
        expect(missing.headers['x-request-id']).to.equal(own);
      }
    });

    it('is a new one for every request that brings none, a long one or an unsafe one', async () => {
      const unsafe = [undefined, '', 'x'.repeat(65), 'a b', 'a,b', '<script>', 'a"b', 'b\u00fccher', 'a;b'];
      const seen = new Set<unknown>();
      for (const own of unsafe) {
        const id = (await send(own)).headers['x-request-id'];
        expect(id, `for ${own}`).to.match(UUID);
        seen.add(id);
      }
      expect(seen.size).to.equal(unsafe.length);
    });

    it('stands on every answer, whatever answers it', async () => {
      const { client } = tenant;
      const answers = [
        await client.post('/invoices', invoiceInput()),
        await client.post('/invoices', {}),
        await client.post('/invoices', undefined, { raw: '{' }),
        await client.send('PUT', '/invoices'),
        await client.get('/me', { headers: { accept: 'text/html' } }),
        await client.get('/me', { key: null }),
        await client.get(`/invoices/${UNKNOWN_ID}`),
      ];
      const paths = [
        '/healthz',
        '/readyz',
        '/metrics',
        '/docs',
        '/docs/start.js',
        '/v1/openapi.json',
        '/nothing',
      ];
      for (const path of paths) answers.push(await root.send('GET', path));
      expect(answers.map(({ status }) => status)).to.deep.equal([
        ...[201, 400, 400, 405, 406, 401, 404],
        ...[200, 200, 200, 200, 200, 200, 404],
      ]);
      for (const { headers, body, status } of answers) {
        expect(headers['x-request-id'], `of the ${status}`).to.match(UUID);
        if (body?.error) expect(body.error.requestId).to.equal(headers['x-request-id']);
      }
    });
  });

  describe('routing', () => {
    it('answers an unknown route 404 and suggests the route that was meant', async () => {
      const near = await tenant.client.get('/invoice');
      expectError(near, 404, 'not_found');
      expect(near.body.error.message).to.include('Did you mean /invoices?');
      const far = await tenant.client.get('/zebra');
      expectError(far, 404, 'not_found');
      expect(far.body.error.message).to.include('/docs').and.not.include('Did you mean');
    });

    it('answers a path outside the versions 404 and says where the API is, without asking for a key', async () => {
      for (const path of ['/', '/invoices', '/v2/invoices', '/v11/invoices', '/api/invoices']) {
        const answer = await root.send('GET', path);
        expectError(answer, 404, 'not_found');
        expect(answer.body.error.message).to.include('/v1');
      }
    });

    it('answers a method that a route does not have 405, and Allow names those it has', async () => {
      const cases = [
        ['DELETE', '/invoices', 'GET, POST'],
        ['PUT', `/invoices/${UNKNOWN_ID}`, 'GET, PATCH'],
        ['GET', `/api-keys/${UNKNOWN_ID}/roll`, 'POST'],
        ['POST', '/me', 'GET'],
        ['OPTIONS', '/customers', 'GET, POST'],
        ['POST', '/openapi.json', 'GET'],
      ] as const;
      for (const [method, path, allow] of cases) {
        const answer = await tenant.client.send(method, path);
        expectError(answer, 405, 'method_not_allowed');
        expect(answer.headers.allow, `${method} ${path}`).to.equal(allow);
      }
    });

    it('serves the same routes under /api/v1, and Location stays under the prefix that was used', async () => {
      const other = new TestClient(stack.origin, tenant.client.key, '/api/v1');
      const made = await other.post('/invoices', invoiceInput());
      expect(made.headers.location).to.equal(`/api/v1/invoices/${made.body.id}`);
      const [long, short] = [
        await other.get(`/invoices/${made.body.id}`),
        await tenant.client.get(`/invoices/${made.body.id}`),
      ];
      expect([long.status, long.text]).to.deep.equal([200, made.text]);
      expect(short.text).to.equal(long.text);
    });

    it('answers HEAD as GET without a body, errors too', async () => {
      const { client } = tenant;
      for (const path of ['/invoices?limit=1', '/me', `/invoices/${UNKNOWN_ID}`, '/openapi.json']) {
        const [head, get] = [await client.send('HEAD', path), await client.send('GET', path)];
        expect(head.text).to.equal('');
        expect([head.status, head.headers['content-type'], head.headers['content-length']]).to.deep.equal([
          ...[get.status, get.headers['content-type'], get.headers['content-length']],
        ]);
      }
    });
  });

  it('answers 406 only to an Accept that excludes JSON', async () => {
    const ask = (accept: string, path = '/me') => tenant.client.get(path, { headers: { accept } });
    const excluding = ['text/html', 'application/xml, text/*', 'image/png;q=1', 'application/json;q=0'];
    for (const accept of excluding) {
      expectError(await ask(accept), 406, 'not_acceptable');
      expectError(await ask(accept, '/openapi.json'), 406, 'not_acceptable');
    }
    const including = [
      '*/*',
      'application/*',
      'text/html, */*;q=0.1',
      'application/json; charset=utf-8',
      'application/json;v=1;q=0.5',
    ];
    for (const accept of [...including, 'text/html, application/json;q=0.2', 'APPLICATION/JSON'])
      expect((await ask(accept)).status, accept).to.equal(200);
    expect((await root.send('GET', '/metrics', { headers: { accept: 'text/plain' } })).status).to.equal(200);
    expect((await root.send('GET', '/docs', { headers: { accept: 'text/html' } })).status).to.equal(200);
  });

  describe('for the platform', () => {
    it('/healthz says that the process is alive', async () => {
      const answer = await root.send('GET', '/healthz');
      expect([answer.status, answer.body]).to.deep.equal([200, { ok: true }]);
      expect(answer.headers['cache-control']).to.equal('no-store');
    });

    it('/readyz tells of each thing it needs and how long that took, and is 503 when one is wrong', async () => {
      const ready = await root.send('GET', '/readyz');
      expect(ready.status, ready.text).to.equal(200);
      expect(ready.body.ok).to.equal(true);
      expect(ready.body.checks).to.have.all.keys('postgres', 'queue', 'migrations');
      for (const check of Object.values<Record<string, unknown>>(ready.body.checks)) {
        expect(check).to.have.all.keys('ok', 'ms');
        expect(check.ms).to.be.a('number').and.at.least(0);
      }
      await stack.asOwner("insert into schema_migrations (name, batch) values ('of a newer version', 9)");
      const unready = await root.send('GET', '/readyz');
      await stack.asOwner('delete from schema_migrations where batch = 9');
      expect(unready.status).to.equal(503);
      const { postgres, migrations } = unready.body.checks;
      expect([unready.body.ok, postgres.ok, migrations.ok]).to.deep.equal([false, true, false]);
      expect(migrations.error).to.include('of a newer version');
      expect((await root.send('GET', '/readyz')).status).to.equal(200);
    });

    it('/metrics counts requests by route template, never by path, id or key', async () => {
      const made = await tenant.client.post('/invoices', invoiceInput());
      await tenant.client.get(`/invoices/${made.body.id}`);
      await tenant.client.get('/a-path-that-nobody-serves');
      const { text, headers } = await root.send('GET', '/metrics');
      expect(headers['content-type']).to.match(/^text\/plain/);
      const count = (labels: string) => sample(text, `tow_http_request_duration_seconds_count{${labels}}`);
      expect(count('method="POST",route="/invoices",status="201"')).to.be.at.least(1);
      expect(count('method="GET",route="/invoices/:id",status="200"')).to.be.at.least(1);
      expect(count('method="GET",route="unmatched",status="404"')).to.be.at.least(1);
      const secrets = [made.body.id, tenant.id, tenant.client.key, 'a-path-that-nobody-serves'];
      expect(secrets.filter((secret) => text.includes(secret))).to.deep.equal([]);
    });

    it('/metrics shows queue, batches, commits, pool and event loop', async () => {
      await tenant.client.post('/invoices', invoiceInput());
      const { text } = await root.send('GET', '/metrics');
      for (const state of ['waiting', 'active', 'delayed', 'failed'])
        expect(sample(text, `tow_queue_jobs{queue="writes",state="${state}"}`), state).to.be.at.least(0);
      for (const state of ['total', 'idle', 'waiting'])
        expect(sample(text, `tow_postgres_connections{state="${state}"}`), state).to.be.at.least(0);
      const counted = ['tow_write_batch_commands_count', 'tow_write_commit_duration_seconds_count'];
      const commands = 'tow_commands_total{type="invoice.create",outcome="ok"}';
      for (const line of [...counted, commands]) expect(sample(text, line), line).to.be.at.least(1);
      for (const line of [
        'nodejs_eventloop_lag_p99_seconds',
        'tow_queue_oldest_waiting_seconds{queue="writes"}',
      ])
        expect(sample(text, line), line).to.be.at.least(0);
    });
  });

  describe('the reference', () => {
    it('at /docs loads with all its files from this server alone', async () => {
      const page = await root.send('GET', '/docs');
      expect(page.status).to.equal(200);
      expect(page.headers['content-type']).to.match(/^text\/html/);
      expect(page.headers['content-security-policy'])
        .to.match(/default-src 'self'/)
        .and.not.match(/https?:|\*/);
      const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => String(url));
      expect(files).to.have.length.at.least(3);
      expect(files.filter((url) => !/^\/docs\/[\w.-]+$/.test(url))).to.deep.equal([]);
      const types: Record<string, RegExp> = {
        js: /^text\/javascript/,
        css: /^text\/css/,
        png: /^image\/png/,
      };
      for (const url of files) {
        const file = await root.send('GET', url);
        expect(file.status, url).to.equal(200);
        expect(file.headers['content-type']).to.match(types[url.split('.').at(-1) as string] as RegExp);
        expect(file.text, url).to.not.equal('');
      }
      const start = (await root.send('GET', '/docs/start.js')).text;
      expect(page.text + start).to.not.match(/https?:\/\/|["']\/\//);
      expect(start).to.include("url: '/v1/openapi.json'");
    });

    it('openapi.json is public, the committed file, and the same under both prefixes', async () => {
      const committed = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
      for (const prefix of ['/v1', '/api/v1']) {
        const answer = await root.send('GET', `${prefix}/openapi.json`);
        expect(answer.status).to.equal(200);
        expect(answer.headers['content-type']).to.match(/^application\/json/);
        expect(answer.text === committed, `${prefix} serves the committed file`).to.equal(true);
      }
    });
  });
});

describe('queue metrics while jobs wait', () => {
  let stack: TestStack;

  before(async () => {
    stack = await TestStack.start({ worker: false, environment: { WRITE_TIMEOUT_MS: '100' } });
  });
  after(() => stack.stop());

  it('show how many wait and for how long, and nothing once a worker took them', async () => {
    const { client } = await stack.createTenant();
    addQueueGauges(stack.runtime, openWritesQueue(stack.runtime));
    const page = async () => fetch(`${stack.origin}/metrics`).then((response) => response.text());
    const waiting = (text: string) => sample(text, 'tow_queue_jobs{queue="writes",state="waiting"}');
    const oldest = (text: string) => sample(text, 'tow_queue_oldest_waiting_seconds{queue="writes"}');
    for (let n = 0; n < 2; n += 1)
      expect((await client.post('/invoices', invoiceInput())).status).to.equal(202);
    const text = await page();
    expect(waiting(text)).to.be.at.least(2);
    expect(oldest(text)).to.be.at.least(0.1);
    stack.runtime.metrics.registry.removeSingleMetric('tow_queue_jobs');
    stack.runtime.metrics.registry.removeSingleMetric('tow_queue_oldest_waiting_seconds');
    startWritesWorker(stack.runtime);
    await eventually('the queue is empty', async () => {
      const now = await page();
      return waiting(now) === 0 && oldest(now) === 0;
    });
  });
});
