import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import pg from 'pg';
import { AGENT_SCOPES } from '../../../../shared/contracts/vocabulary.js';
import { RawMcp } from '../../../support/agents/raw-mcp.js';
import type { TestResponse } from '../../../support/client.js';
import { expectError } from '../../../support/expect-error.js';
import { eventually } from '../../../support/poll.js';
import { useSharedAccount } from '../../../support/records/accounts.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';
import { HTTPS_STACK } from '../../../support/use-stack.js';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const PONG = { jsonrpc: '2.0', id: 1, result: {} };
const MIB = 1024 * 1024;

describe('MCP over HTTP', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let mcp: RawMcp;

  const createAgentKey = (options = {}) =>
    stack.createKey(tenant.id, { kind: 'agent', scopes: [...AGENT_SCOPES], ...options });

  useSharedAccount(async (account) => {
    ({ stack, tenant } = account);
    mcp = new RawMcp(stack.origin, await createAgentKey());
  }, HTTPS_STACK);

  const expectPong = (response: TestResponse) => {
    expect(response.status, response.text).to.equal(200);
    expect(response.body).to.deep.equal(PONG);
  };

  describe('authentication', () => {
    const expectUnauthorized = (response: TestResponse) => {
      expectError(response, 401, 'unauthorized');
      expect(response.headers['www-authenticate']).to.equal('Bearer realm="tow-dispatch"');
      expect(response.headers).to.not.have.property('x-ratelimit-remaining');
    };

    it('POST /mcp accepts a key only in the Authorization header', async () => {
      for (const authorization of [undefined, '', 'Bearer', 'Bearer ', `Basic ${mcp.key}`, mcp.key])
        expectUnauthorized(await mcp.send({ key: null, headers: { authorization }, body: PING }));
      for (const query of [`?token=${mcp.key}`, `?access_token=${mcp.key}`, `?key=${mcp.key}`])
        expectUnauthorized(await mcp.send({ path: `/mcp${query}`, key: null, body: PING }));
      expectUnauthorized(
        await mcp.send({ key: null, headers: { cookie: `session=${mcp.key}` }, body: PING }),
      );
    });

    it('POST /mcp refuses unknown and expired keys with 401', async () => {
      const last = mcp.key.endsWith('x') ? 'y' : 'x';
      for (const key of ['x', `${mcp.key.slice(0, -1)}${last}`, `tk_agent_${'a'.repeat(49)}`])
        expectUnauthorized(await mcp.send({ key, body: PING }));
      const expired = await createAgentKey({ expiresAt: '2020-01-01T00:00:00Z' });
      expectUnauthorized(await mcp.send({ key: expired, body: PING }));
    });

    it('POST /mcp refuses a revoked key on its next call', async () => {
      const created = await tenant.client.post('/agent-keys', { name: 'Short', scopes: ['read_invoices'] });
      const { key, id } = created.body;
      expectPong(await mcp.send({ key, body: PING }));
      expect((await tenant.client.delete(`/agent-keys/${id}`)).status).to.equal(200);
      await eventually(
        'the revocation is known',
        async () => (await mcp.send({ key, body: PING })).status === 401,
      );
      expectUnauthorized(await mcp.send({ key, body: PING }));
    });

    it('POST /mcp refuses a key of the REST API with agent_key_required', async () => {
      for (const key of [tenant.client.key, tenant.sandbox.key])
        expectError(await mcp.send({ key, body: PING }), 403, 'agent_key_required');
    });

    it('POST /mcp accepts the key of a sandbox agent', async () => {
      const key = await stack.createKey(tenant.sandboxId, { kind: 'agent', scopes: [] }, 'sandbox');
      expectPong(await mcp.send({ key, body: PING }));
    });
  });

  it('/mcp allows only POST, and /mcp/manifest only GET', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']) {
      const response = await mcp.send({ method, headers: { 'content-length': '0' } });
      expectError(response, 405, 'method_not_allowed');
      expect(response.headers.allow).to.equal('POST');
    }
    expect((await mcp.send({ method: 'HEAD' })).status).to.equal(405);
    const manifest = await mcp.send({ method: 'POST', path: '/mcp/manifest', key: null, body: '{}' });
    expectError(manifest, 405, 'method_not_allowed');
    expect(manifest.headers.allow).to.equal('GET');
    expectPong(await mcp.send({ path: '/mcp/', body: PING }));
  });

  describe('protection from pages of other sites', () => {
    const pingFrom = (host: string | undefined, origin?: string) =>
      mcp.send({ headers: { ...(host ? { host } : {}), origin }, body: PING });

    it('POST /mcp refuses an unknown Host', async () => {
      const hosts = ['evil.example', 'tow.example.com.evil.example', 'localhost.evil.example', 'evil:80'];
      for (const host of [...hosts, 'a b', 'agents.example.co'])
        expectError(await mcp.send({ headers: { host }, body: PING }), 403, 'forbidden');
    });

    it('POST /mcp refuses an unknown Origin', async () => {
      const origins = ['https://evil.example', 'null', '', 'http://localhost.evil.example', 'file://'];
      for (const origin of [...origins, 'chrome-extension://abcdef', 'https://tow.example.com.evil.example'])
        expectError(await pingFrom(undefined, origin), 403, 'forbidden');
      expectError(await pingFrom('tow.example.com', 'http://localhost:5173'), 403, 'forbidden');
    });

    it("POST /mcp accepts programs, the product's own pages, and pages on this machine", async () => {
      for (const host of ['tow.example.com', 'agents.example.com', 'OTHER.example.com:8443', 'localhost:1'])
        expectPong(await pingFrom(host));
      for (const host of ['127.0.0.1', '[::1]:3000', '192.0.2.7']) expectPong(await pingFrom(host));
      for (const origin of ['https://tow.example.com', 'https://agents.example.com'])
        expectPong(await pingFrom('tow.example.com', origin));
      for (const origin of ['http://localhost:5173', 'http://127.0.0.1', 'http://[::1]:1'])
        expectPong(await pingFrom(undefined, origin));
    });
  });

  describe('format of a message', () => {
    it('POST /mcp requires JSON in Accept and Content-Type', async () => {
      for (const accept of [
        'text/event-stream',
        'text/html',
        'application/json;q=0, */*',
        'application/jsonp',
      ])
        expectError(await mcp.send({ headers: { accept }, body: PING }), 406, 'not_acceptable');
      for (const accept of ['', '*/*', 'application/*', 'APPLICATION/JSON', 'text/event-stream, */*;q=0.1'])
        expectPong(await mcp.send({ headers: { accept }, body: PING }));
      expectPong(await mcp.send({ headers: { accept: undefined }, body: PING }));
      for (const type of [undefined, 'text/plain', 'application/jsonp', 'application/x-www-form-urlencoded'])
        expectError(
          await mcp.send({ headers: { 'content-type': type }, body: PING }),
          415,
          'unsupported_media_type',
        );
      for (const type of ['application/json; charset=utf-8', 'Application/JSON'])
        expectPong(await mcp.send({ headers: { 'content-type': type }, body: PING }));
    });

    it('POST /mcp refuses a compressed body', async () => {
      const body = gzipSync(JSON.stringify(PING));
      for (const encoding of ['gzip', 'br', 'gzip, identity'])
        expectError(
          await mcp.send({ headers: { 'content-encoding': encoding }, body }),
          415,
          'unsupported_media_type',
        );
      expectPong(await mcp.send({ headers: { 'content-encoding': 'Identity' }, body: PING }));
    });

    it('POST /mcp accepts a body of 1 MiB and not one byte more', async () => {
      const padded = (bytes: number) => JSON.stringify(PING).padEnd(bytes, ' ');
      expectPong(await mcp.send({ body: padded(MIB) }));
      for (const bytes of [MIB + 1, 8 * MIB])
        expectError(await mcp.send({ body: padded(bytes) }), 413, 'payload_too_large');
    });
  });

  describe('connections to /mcp', () => {
    function collectText(socket: Socket): () => string {
      let got = '';
      socket.setEncoding('utf8').on('data', (part: string) => {
        got += part;
      });
      socket.on('error', () => undefined);
      return () => got;
    }

    /**
     * Writes `texts` to one connection one after the other, and returns the statuses of `count`
     * responses.
     */
    async function sendAndReadStatuses(texts: string[], count: number): Promise<number[]> {
      const socket = await mcp.openSocket();
      const readText = collectText(socket);
      for (const one of texts) socket.write(one);
      const found = await eventually(`${count} responses`, () => {
        const lines = readText().match(/HTTP\/1\.1 \d{3}/g) ?? [];
        return lines.length >= count && lines;
      });
      socket.destroy();
      return found.map((line) => Number(line.slice(9)));
    }
    const message = JSON.stringify(PING);
    const buildRequest = () => `${mcp.buildHead(message.length)}${message}`;

    it('a connection to /mcp survives a message that is too large, which is never parsed as other messages', async () => {
      const smuggled = `${buildRequest()}`.repeat(Math.ceil((2 * MIB) / buildRequest().length));
      expect(
        await sendAndReadStatuses([mcp.buildHead(smuggled.length), smuggled, buildRequest()], 2),
      ).to.deep.equal([413, 200]);
    });

    it('a connection to /mcp survives any other refusal', async () => {
      const wrongKey = buildRequest().replace(mcp.key, 'wrong');
      const wrongType = buildRequest().replace('application/json', 'text/plain');
      const texts = [wrongKey, wrongType, buildRequest().replace('POST', 'PUT'), buildRequest()];
      expect(await sendAndReadStatuses(texts, 4)).to.deep.equal([401, 415, 405, 200]);
    });

    it('a connection to /mcp is closed after a message that does not end', async () => {
      const socket = await mcp.openSocket();
      const readText = collectText(socket);
      const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.write(mcp.buildHead(64 * MIB));
      socket.write(Buffer.alloc(17.2 * MIB, ' '));
      await ended;
      expect(readText())
        .to.match(/^HTTP\/1.1 413 /)
        .and.to.match(/\r\nConnection: close\r\n/);
    });

    it('a request to /mcp without Host is refused', async () => {
      expect(await sendAndReadStatuses([buildRequest().replace(/Host: .*\r\n/, '')], 1)).to.deep.equal([403]);
    });

    it('a connection to /mcp that is cut inside a message or before its response causes no server error', async () => {
      for (const cut of [
        mcp.buildHead(message.length),
        `${mcp.buildHead(message.length)}{"json`,
        buildRequest(),
      ]) {
        const socket = await mcp.openSocket();
        socket.on('error', () => undefined);
        await new Promise<void>((sent) => socket.write(cut, () => sent()));
        socket.destroy();
      }
      expectPong(await mcp.send({ body: PING }));
      const metrics = await eventually('the metrics count two cut messages', async () => {
        const text = await stack.runtime.metrics.registry.metrics();
        return /_count\{[^}]*route="\/mcp",status="499"[^}]*\} [2-9]/.test(text) && text;
      });
      expect(metrics).to.not.match(/route="\/mcp",status="5/);
    });

    it('an MCP call continues after its connection is cut', async () => {
      const call = { name: 'create_work_order', arguments: { service_type: 'tow', vin: 'CUTOFF1' } };
      const booking = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
      const owner = new pg.Client({ connectionString: stack.databaseUrl });
      await owner.connect();
      await owner.query('begin; lock table work_orders in share row exclusive mode');
      const socket = await mcp.openSocket();
      socket.write(`${mcp.buildHead(booking.length)}${booking}`);
      await eventually('the call waits for the table lock', async () => {
        const waits = `select 1 from pg_locks where not granted and relation = 'work_orders'::regclass`;
        return (await owner.query(waits)).rowCount === 1;
      });
      socket.destroy();
      await owner.end();
      await eventually('the work order is booked', async () => {
        const rows = await stack.rows(tenant.id, `select 1 from work_orders where vin = 'CUTOFF1'`);
        return rows.length === 1;
      });
    });
  });
});
