import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { expectError } from '../support/expect-error.js';
import { eventually } from '../support/poll.js';
import { RawMcp } from '../support/raw-mcp.js';
import { invoiceInput } from '../support/samples.js';
import { SseClient } from '../support/sse-client.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const MEBIBYTE = 1024 * 1024;
const MAX_UNSENT = 8 * MEBIBYTE;
/** Answers of 4 MiB, of which the kernel takes a part. */
const PATH = '/events?limit=200';

describe('answers that nobody reads', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  const sockets: Socket[] = [];

  const start = async (sendTimeoutMs: number) => {
    const environment = { SEND_TIMEOUT_MS: String(sendTimeoutMs), UNSENT_MB_PER_TENANT: '8' };
    stack = await TestStack.start({ environment });
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
    await stack.stop();
  });

  /** Sends a request on a connection of its own and never reads the answer. */
  async function askAndNeverRead(path = `/v1${PATH}`, { client } = tenant): Promise<Socket> {
    const { hostname, port } = new URL(stack.origin);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined);
    sockets.push(socket);
    socket.pause();
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.key}\r\n\r\n`);
    return socket;
  }

  const openStreams = async () => (await stack.runtime.metrics.eventStreams.get()).values[0]?.value;
  const unsent = () => stack.runtime.unsentAnswers.bytesOf(tenant.id);

  it('are given back when a client that sent many requests at once goes away', async () => {
    await start(60_000);
    const { hostname, port } = new URL(stack.origin);
    const head = `Host: x\r\nAuthorization: Bearer ${tenant.client.key}\r\n\r\n`;
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined);
    const send = (paths: string[]) =>
      socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\n${head}`).join(''));
    // Behind the stream, which never ends, the others never get the connection. The streams come
    // first: once the others have filled the account's bound, a stream would be refused.
    send(['/v1/stream', '/v1/stream']);
    await eventually('both streams', async () => (await openStreams()) === 2);
    send(Array.from({ length: 3 }, () => `/v1${PATH}`));
    await eventually('an unread answer', () => unsent() > 0);
    socket.destroy();
    await eventually('no stream', async () => (await openStreams()) === 0);
    await eventually('nothing unread', () => unsent() === 0);
    expect((await tenant.client.get('/me')).status).to.equal(200);
  });

  it('of the reference page end after SEND_TIMEOUT_MS too, without any key', async () => {
    await start(1000);
    const { hostname, port } = new URL(stack.origin);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined).pause();
    const requests = 12;
    socket.write('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests));
    // Long enough for the deadline; what the kernel holds is read afterwards.
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

  it('without a key count for the address: its next ones are 429, and neither other addresses nor keys are refused', async () => {
    await start(600_000);
    const { unsentAnswers } = stack.runtime;
    const { hostname, port } = new URL(stack.origin);
    const [address, other] = ['127.0.0.2', '127.0.0.3'];
    const page = '/docs/swagger-ui-bundle.js';
    const statusFor = (localAddress: string, path: string, headers = {}) =>
      new Promise<number | undefined>((resolve, reject) => {
        const asked = get({ hostname, port, path, localAddress, headers, agent: false }, (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode));
        });
        asked.on('error', reject);
      });
    const socket = connect({ host: hostname, port: Number(port), localAddress: address });
    socket.on('error', () => undefined);
    sockets.push(socket);
    // Behind the stream, which never ends, the pages never get the connection.
    const authorization = `Bearer ${tenant.client.key}`;
    const head = `Host: x\r\nAuthorization: ${authorization}\r\n\r\n`;
    socket.write(`GET /v1/stream HTTP/1.1\r\n${head}`);
    socket.write(`GET ${page} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(12));
    await eventually('too much that is unread', () => !unsentAnswers.hasRoom(address, 2 * MEBIBYTE));
    expect(unsentAnswers.bytesOf(address)).to.be.above(0).and.at.most(MAX_UNSENT);
    expect(await statusFor(address, page)).to.equal(429);
    expect(await statusFor(address, '/docs')).to.equal(200);
    expect(await statusFor(other, page)).to.equal(200);
    expect(await statusFor(address, `/v1${PATH}`, { authorization })).to.equal(200);
    closeAll();
    await eventually('nothing unread', () => unsentAnswers.bytesOf(address) === 0);
    expect(await statusFor(address, page)).to.equal(200);
  });

  it('are thrown away with their connection after SEND_TIMEOUT_MS', async () => {
    await start(1000);
    const socket = await askAndNeverRead();
    await eventually('an unread answer', () => unsent() > 0);
    await eventually('its end', () => unsent() === 0);
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    await new Promise((resolve) => socket.once('close', resolve).resume());
    expect(received)
      .to.be.above(0)
      .and.below(4 * MEBIBYTE);
  });

  it('of one tenant hold at most UNSENT_MB_PER_TENANT; its requests are 429 until they are read, and others are served', async () => {
    await start(600_000);
    const other = await stack.createTenant('Somebody else');
    let most = 0;
    const watching = setInterval(() => {
      most = Math.max(most, unsent());
    }, 5);
    try {
      // Many at once, so that each is let in before any of them counts.
      await Promise.all(Array.from({ length: 24 }, () => askAndNeverRead()));
      const refused = await eventually('a refusal', async () => {
        const answer = await tenant.client.send('GET', PATH);
        return answer.status === 429 && answer;
      });
      expectError(refused, 429, 'rate_limited');
      expect(refused.headers['retry-after']).to.equal('5');
      expect(most).to.be.above(0).and.at.most(MAX_UNSENT);
      expect((await other.client.get('/invoices')).status).to.equal(200);
      expect((await other.client.post('/invoices', invoiceInput())).status).to.equal(201);
    } finally {
      clearInterval(watching);
    }
    closeAll();
    await eventually('the end of all', () => unsent() === 0);
    expect((await tenant.client.send('GET', PATH)).status).to.equal(200);
  });

  it('refuse a write before anything is done, and the messages of agents, while too much is unread', async () => {
    await start(600_000);
    const { unsentAnswers } = stack.runtime;
    const key = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_invoices'] });
    await Promise.all(Array.from({ length: 12 }, () => askAndNeverRead()));
    await eventually('too much that is unread', () => !unsentAnswers.hasRoom(tenant.id));
    const number = 'NEVER-MADE';
    expectError(
      await tenant.client.post('/invoices', invoiceInput({ invoice_number: number })),
      429,
      'rate_limited',
    );
    const answer = await new RawMcp(stack.origin, key).call('list_invoices');
    expect(answer.status, answer.text).to.equal(429);
    const made = await stack.rows(tenant.id, 'select id from invoices where invoice_number = $1', [number]);
    expect(made).to.deep.equal([]);
  });

  it('count when they are event streams: nothing is written beyond the bound, and a client that reads gets every event', async () => {
    await start(600_000);
    await Promise.all(Array.from({ length: 15 }, () => askAndNeverRead('/v1/stream')));
    await eventually('all streams', async () => (await openStreams()) === 15);
    let most = 0;
    const watching = setInterval(() => {
      most = Math.max(most, unsent());
    }, 5);
    const reader = await SseClient.connect(stack.origin, tenant.client.key);
    try {
      await recordEvents(40);
      await eventually('too much that is unread', () => !stack.runtime.unsentAnswers.hasRoom(tenant.id));
      closeAll();
      await reader.waitFor(40);
    } finally {
      clearInterval(watching);
      reader.close();
    }
    expect(most).to.be.above(0).and.at.most(MAX_UNSENT);
  });

  it('of a stream are thrown away with it when its client does not read for SEND_TIMEOUT_MS, and an idle stream stays', async () => {
    await start(500);
    const idle = await askAndNeverRead('/v1/stream?types=work_order.*');
    await askAndNeverRead('/v1/stream');
    await eventually('both streams', async () => (await openStreams()) === 2);
    await recordEvents(40);
    await eventually('the end of the one that is not read', async () => (await openStreams()) === 1);
    expect(unsent()).to.equal(0);
    expect(idle.destroyed).to.equal(false);
  });
});
