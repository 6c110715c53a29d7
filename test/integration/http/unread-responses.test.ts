import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { RawMcp } from '../../support/agents/raw-mcp.js';
import { expectError } from '../../support/expect-error.js';
import { SseClient } from '../../support/network/sse-client.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import type { TestStack, TestTenant } from '../../support/stack.js';
import { useOwnStack } from '../../support/use-stack.js';

const MEBIBYTE = 1024 * 1024;
const MAX_UNSENT_BYTES = 8 * MEBIBYTE;
/** A list whose response has 4 MB, the most that a page may have. */
const PATH = '/events?limit=200';
const RESPONSE_BYTES = 4_000_000;

describe('responses that a client does not read', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  const sockets: Socket[] = [];

  /** A stack that discards an unread response after a second. */
  const impatientStack = useOwnStack({ environment: { SEND_TIMEOUT_MS: '1000', UNSENT_MB_PER_TENANT: '8' } });
  /** A stack that keeps unread responses for longer than a test runs. */
  const patientStack = useOwnStack({ environment: { SEND_TIMEOUT_MS: '600000', UNSENT_MB_PER_TENANT: '8' } });

  const prepare = async (chosen: TestStack) => {
    stack = chosen;
    tenant = await stack.createTenant();
    await recordEvents(12);
  };
  const recordEvents = (count: number) =>
    stack.rows(
      tenant.id,
      `insert into events (tenant_id, id, type, body)
       select $1, gen_random_uuid(), 'test.many', json_build_object('pad', repeat('x', 400000)) from generate_series(1, ${count})`,
      [tenant.id],
    );
  const closeAll = () => {
    for (const socket of sockets.splice(0)) socket.destroy();
  };
  afterEach(async () => {
    closeAll();
    await eventually('no stream is open', async () => (await openStreams()) === 0);
  });

  /**
   * Sends a request on a new connection, and never reads the response. Asks for the list twice,
   * because the kernel may buffer one response of 4 MB, but not two.
   */
  async function requestWithoutReading(path = `/v1${PATH}`, { client } = tenant): Promise<Socket> {
    const { hostname, port } = new URL(stack.origin);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined);
    sockets.push(socket);
    socket.pause();
    await new Promise((resolve) => socket.once('connect', resolve));
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.key}\r\n\r\n`;
    socket.write(path.endsWith(PATH) ? request.repeat(2) : request);
    return socket;
  }

  const openStreams = async () => (await stack.runtime.metrics.eventStreams.get()).values[0]?.value;
  const countUnsentBytes = () => stack.runtime.unsentResponses.countBytes(tenant.id);

  it('unread responses no longer count when a client that pipelined many requests disconnects', async () => {
    await prepare(patientStack);
    const { hostname, port } = new URL(stack.origin);
    const head = `Host: x\r\nAuthorization: Bearer ${tenant.client.key}\r\n\r\n`;
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined);
    const send = (paths: string[]) =>
      socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\n${head}`).join(''));
    // The first stream never ends, so the API cannot send any later response on this connection.
    // The streams come first, because the API refuses streams once the account has too many unread
    // bytes.
    send(['/v1/stream', '/v1/stream']);
    await eventually('both streams are open', async () => (await openStreams()) === 2);
    send(Array.from({ length: 3 }, () => `/v1${PATH}`));
    await eventually('a response is unread', () => countUnsentBytes() > 0);
    socket.destroy();
    await eventually('no stream is open', async () => (await openStreams()) === 0);
    await eventually('no bytes are unread', () => countUnsentBytes() === 0);
    expect((await tenant.client.get('/me')).status).to.equal(200);
  });

  it('unread responses of the API reference page, which needs no key, end after SEND_TIMEOUT_MS', async () => {
    await prepare(impatientStack);
    const { hostname, port } = new URL(stack.origin);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined).pause();
    const requests = 12;
    socket.write('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests));
    // Wait past the deadline. Then read the bytes that the kernel has buffered.
    await new Promise((resolve) => setTimeout(resolve, 4000));
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    await new Promise((resolve) => socket.once('close', resolve).resume());
    expect(received)
      .to.be.above(0)
      .and.below(requests * MEBIBYTE);
  });

  it('unread responses without a key count for the IP address, which then gets 429 for requests without a key', async () => {
    await prepare(patientStack);
    const { unsentResponses } = stack.runtime;
    const { hostname, port } = new URL(stack.origin);
    const [address, other] = ['127.0.0.2', '127.0.0.3'];
    const page = '/docs/swagger-ui-bundle.js';
    const statusFor = (localAddress: string, path: string, headers = {}) =>
      new Promise<number | undefined>((resolve, reject) => {
        const outgoing = get({ hostname, port, path, localAddress, headers, agent: false }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode));
        });
        outgoing.on('error', reject);
      });
    const socket = connect({ host: hostname, port: Number(port), localAddress: address });
    socket.on('error', () => undefined);
    sockets.push(socket);
    // The stream never ends, so the server cannot send the responses that follow it on this
    // connection.
    const authorization = `Bearer ${tenant.client.key}`;
    const head = `Host: x\r\nAuthorization: ${authorization}\r\n\r\n`;
    socket.write(`GET /v1/stream HTTP/1.1\r\n${head}`);
    socket.write(`GET ${page} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(12));
    await eventually('too many bytes are unread', () => !unsentResponses.hasCapacity(address, 2 * MEBIBYTE));
    expect(unsentResponses.countBytes(address)).to.be.above(0).and.at.most(MAX_UNSENT_BYTES);
    expect(await statusFor(address, page)).to.equal(429);
    expect(await statusFor(address, '/docs')).to.equal(200);
    expect(await statusFor(other, page)).to.equal(200);
    expect(await statusFor(address, `/v1${PATH}`, { authorization })).to.equal(200);
    closeAll();
    await eventually('no bytes are unread', () => unsentResponses.countBytes(address) === 0);
    expect(await statusFor(address, page)).to.equal(200);
  });

  it('an unread response and its connection are discarded after SEND_TIMEOUT_MS', async () => {
    await prepare(impatientStack);
    const socket = await requestWithoutReading();
    await eventually('a response is unread', () => countUnsentBytes() > 0);
    await eventually('the response is discarded', () => countUnsentBytes() === 0);
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    await new Promise((resolve) => socket.once('close', resolve).resume());
    expect(received)
      .to.be.above(0)
      .and.below(2 * RESPONSE_BYTES);
  });

  it('an account with UNSENT_MB_PER_TENANT of unread responses gets 429 until they end, and others are served', async () => {
    await prepare(patientStack);
    const other = await stack.createTenant('Somebody else');
    let maxUnsentBytes = 0;
    const watching = setInterval(() => {
      maxUnsentBytes = Math.max(maxUnsentBytes, countUnsentBytes());
    }, 5);
    try {
      // Send the requests concurrently, so that the API accepts each before any unread response
      // counts toward the limit.
      await Promise.all(Array.from({ length: 24 }, () => requestWithoutReading()));
      const refused = await eventually('a request is refused', async () => {
        const response = await tenant.client.send('GET', PATH);
        return response.status === 429 && response;
      });
      expectError(refused, 429, 'rate_limited');
      expect(refused.headers['retry-after']).to.equal('5');
      expect(maxUnsentBytes).to.be.above(0).and.at.most(MAX_UNSENT_BYTES);
      expect((await other.client.get('/invoices')).status).to.equal(200);
      expect((await other.client.post('/invoices', invoiceInput())).status).to.equal(201);
    } finally {
      clearInterval(watching);
    }
    closeAll();
    await eventually('all unread responses are discarded', () => countUnsentBytes() === 0);
    expect((await tenant.client.send('GET', PATH)).status).to.equal(200);
  });

  it('an account with too many unread bytes gets 429 for writes before they run, and for MCP messages', async () => {
    await prepare(patientStack);
    const { unsentResponses } = stack.runtime;
    const key = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_invoices'] });
    const socket = await requestWithoutReading('/v1/stream');
    await eventually('the stream is open', async () => (await openStreams()) === 1);
    // The stream never ends, so the API cannot send the responses that follow it on this
    // connection.
    const head = `Host: x\r\nAuthorization: Bearer ${tenant.client.key}\r\n\r\n`;
    socket.write(`GET /v1${PATH} HTTP/1.1\r\n${head}`.repeat(3));
    await eventually('too many bytes are unread', () => !unsentResponses.hasCapacity(tenant.id));
    const number = 'NEVER-MADE';
    expectError(
      await tenant.client.post('/invoices', invoiceInput({ invoice_number: number })),
      429,
      'rate_limited',
    );
    const response = await new RawMcp(stack.origin, key).call('list_invoices');
    expect(response.status, response.text).to.equal(429);
    const made = await stack.rows(tenant.id, 'select id from invoices where invoice_number = $1', [number]);
    expect(made).to.deep.equal([]);
  });

  it('unread event streams stay within the limit, and a client that reads gets every event', async () => {
    await prepare(patientStack);
    await Promise.all(Array.from({ length: 15 }, () => requestWithoutReading('/v1/stream')));
    await eventually('all streams are open', async () => (await openStreams()) === 15);
    let maxUnsentBytes = 0;
    const watching = setInterval(() => {
      maxUnsentBytes = Math.max(maxUnsentBytes, countUnsentBytes());
    }, 5);
    const reader = await SseClient.connect(stack.origin, tenant.client.key);
    try {
      await recordEvents(40);
      await eventually(
        'too many bytes are unread',
        () => !stack.runtime.unsentResponses.hasCapacity(tenant.id),
      );
      closeAll();
      await reader.waitFor(40);
    } finally {
      clearInterval(watching);
      reader.close();
    }
    expect(maxUnsentBytes).to.be.above(0).and.at.most(MAX_UNSENT_BYTES);
  });

  it('an event stream that its client does not read ends after SEND_TIMEOUT_MS, and an idle stream stays open', async () => {
    await prepare(impatientStack);
    const idle = await requestWithoutReading('/v1/stream?types=work_order.*');
    await requestWithoutReading('/v1/stream');
    await eventually('both streams are open', async () => (await openStreams()) === 2);
    await recordEvents(40);
    await eventually('the unread stream ends', async () => (await openStreams()) === 1);
    expect(countUnsentBytes()).to.equal(0);
    expect(idle.destroyed).to.equal(false);
  });
});
