import { expect } from 'chai';
import { startMcp } from '../../../../mcp/start-mcp.js';
import { NEEDED_SCHEMA } from '../../../../migrations/needed-schema.js';
import { loadConfig } from '../../../../shared/config/config.js';
import {
  createFoundation,
  createRuntime,
  type Runtime,
} from '../../../../shared/platform/process/runtime.js';
import { TestAgent } from '../../../support/agents/agent.js';
import { RawMcp } from '../../../support/agents/raw-mcp.js';
import { expectError } from '../../../support/expect-error.js';
import { eventually } from '../../../support/poll.js';
import { useStack } from '../../../support/use-stack.js';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** Runs the process type `mcp` on the stores of a test stack. */
describe('the MCP process', () => {
  const stack = useStack();
  let runtime: Runtime;
  let mcp: RawMcp;

  before(async () => {
    const { id } = await stack.createTenant();
    const { databaseUrl, redisUrl } = stack;
    const config = loadConfig('all', {
      NODE_ENV: 'test',
      PORT: '0',
      DATABASE_URL: databaseUrl,
      DATA_DIR: stack.runtime.config.dataDir,
      LOG_LEVEL: 'silent',
      ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
    });
    runtime = createRuntime(createFoundation(config, 'test'), {
      name: 'mcp',
      databaseUrl,
      neededSchema: NEEDED_SCHEMA,
    });
    const { port } = await startMcp(runtime);
    const key = await stack.createKey(id, { kind: 'agent', scopes: ['read_invoices'] });
    mcp = new RawMcp(`http://127.0.0.1:${port}`, key);
  });
  after(async () => {
    await runtime.lifecycle.close(15_000);
  });

  it('the MCP process serves agents', async () => {
    const agent = await TestAgent.connect(mcp.origin, mcp.key);
    expect((await agent.callOk('list_invoices')).count).to.equal(0);
    await agent.client.close();
  });

  it('the MCP process serves /healthz, /readyz and /metrics without a key', async () => {
    const fetchPath = (path: string) => fetch(`${mcp.origin}${path}`);
    const [health, ready, metrics] = await Promise.all(['/healthz', '/readyz', '/metrics'].map(fetchPath));
    expect([health?.status, await health?.text()]).to.deep.equal([200, '{"ok":true}']);
    expect(ready?.status).to.equal(200);
    expect((await ready?.json()) as object).to.have.nested.property('checks.postgres.ok', true);
    await mcp.send({ body: PING });
    expect(metrics?.status).to.equal(200);
    expect(await (await fetchPath('/metrics')).text()).to.match(
      /tow_http_request_duration_seconds_count\{[^}]*route="\/mcp"/,
    );
  });

  it('the MCP process answers 405 with Allow to a health path with another method than GET and HEAD', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      const response = await mcp.send({ path, body: PING });
      expectError(response, 405, 'method_not_allowed');
      expect(response.headers.allow).to.equal('GET');
      expect((await mcp.send({ method: 'HEAD', path })).status).to.equal(200);
    }
  });

  it('the MCP process counts requests for the manifest under their own route', async () => {
    await mcp.send({ method: 'GET', path: '/mcp/manifest', key: null });
    expect(await (await fetch(`${mcp.origin}/metrics`)).text()).to.match(
      /tow_http_request_duration_seconds_count\{method="GET",route="\/mcp\/manifest",status="200"\} [1-9]/,
    );
  });

  it('the MCP process serves the manifest, and 404 in the error envelope for other paths', async () => {
    const manifest = await mcp.send({ method: 'GET', path: '/mcp/manifest', key: null });
    expect([manifest.status, manifest.body.tools.length]).to.deep.equal([200, 10]);
    for (const path of ['/', '/v1/invoices', '/mcpx', '/mcp/x', '/mcp//', '/healthz/x', '//mcp', '/%6dcp'])
      expectError(await mcp.send({ path, body: PING }), 404, 'not_found');
  });

  it('the MCP process refuses malformed HTTP with the error envelope', async () => {
    const requests = {
      'GET /mcp HTTP/9.9\r\n\r\n': 400,
      'nonsense\r\n\r\n': 400,
      'POST /mcp HTTP/1.1\r\nContent-Length: x\r\n\r\n': 400,
      'POST /mcp HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n': 400,
      [`POST /mcp HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`]: 431,
    };
    for (const [request, status] of Object.entries(requests)) {
      const socket = await mcp.openSocket();
      socket.on('error', () => undefined);
      let got = '';
      socket.setEncoding('utf8').on('data', (part: string) => {
        got += part;
      });
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.write(request);
      await closed;
      expect(got, request.slice(0, 40)).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      expect(JSON.parse(got.split('\r\n\r\n')[1] ?? '')).to.have.nested.property('error.requestId');
    }
    expect((await mcp.send({ body: PING })).status).to.equal(200);
  });

  it('the MCP process responds to accepted requests before it closes, with Connection: close', async () => {
    const message = JSON.stringify(PING);
    const socket = await mcp.openSocket();
    let got = '';
    socket.setEncoding('utf8').on('data', (part: string) => {
      got += part;
    });
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.write(mcp.buildHead(message.length).replace('\r\n', '\r\nExpect: 100-continue\r\n'));
    await eventually('the server has read the head', () => got.includes('100 Continue'));
    const closing = runtime.lifecycle.close(15_000);
    expect(runtime.lifecycle.isClosing).to.equal(true);
    socket.write(message);
    await closed;
    const [, head = '', body = ''] = got.split('\r\n\r\n');
    expect(head).to.match(/^HTTP\/1.1 200 /);
    expect(head).to.match(/\r\nConnection: close(\r\n|$)/);
    expect(JSON.parse(body)).to.deep.equal({ jsonrpc: '2.0', id: 1, result: {} });
    expect(await closing).to.equal(true);
  });
});
