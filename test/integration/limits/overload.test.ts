import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { TestClient } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useStack } from '../../support/use-stack.js';

const MAX_OPEN = 6;

describe('overload', () => {
  // Without a worker, writes stay open until their timeout.
  const stack = useStack({
    worker: false,
    environment: { OPEN_REQUESTS_MIN: `${MAX_OPEN}`, WRITE_TIMEOUT_MS: '3000' },
  });

  /** Sends the head of a write, and never its body. Resolves with the response. */
  const sendHead = (key: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(stack.origin);
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `POST /v1/invoices HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${key}\r\nX-Request-Id: head-only\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n`,
        ),
      );
      socket.setTimeout(5000, () => socket.destroy(new Error('no response within 5 s')));
      socket.once('error', reject);
      socket.once('data', (data) => {
        socket.destroy();
        resolve(data.toString());
      });
    });

  it('writes beyond the limit get 503 before their body is read, and other accounts and reads go on', async () => {
    const flood = await stack.createTenant('Flood Towing');
    const quiet = await stack.createTenant('Quiet Towing');
    const otherKey = await stack.createKey(flood.id);
    const open = Array.from({ length: MAX_OPEN }, () => flood.client.post('/invoices', invoiceInput()));
    // Once these reads have responses, the writes have arrived, and the process knows both keys.
    await flood.client.get('/invoices');
    await quiet.client.get('/invoices');

    const head = await sendHead(flood.client.key);
    expect(head).to.match(/^HTTP\/1\.1 503 /);
    expect(head).to.match(/\r\nRetry-After: 1\r\n/i);
    expect(head).to.match(/\r\nX-Request-Id: head-only\r\n/i);
    expect(JSON.parse(head.split('\r\n\r\n')[1] as string)).to.deep.equal({
      ok: false,
      error: {
        code: 'service_unavailable',
        message: 'Too many requests are being handled. Send this one again in a moment.',
        requestId: 'head-only',
      },
    });

    const refused = await flood.client.post('/invoices', invoiceInput());
    expectError(refused, 503, 'service_unavailable');
    expect(refused.headers['retry-after']).to.equal('1');
    // The process does not know this key yet. It looks up the key's account, and then refuses the
    // request.
    expectError(
      await new TestClient(stack.origin, otherKey).post('/invoices', invoiceInput()),
      503,
      'service_unavailable',
    );

    const others = quiet.client.post('/invoices', invoiceInput());
    expect((await flood.client.get('/invoices')).status, 'a read of the same account').to.equal(200);
    expect((await quiet.client.get('/invoices')).status).to.equal(200);
    expect((await others).status, 'a write of another account').to.equal(202);
    for (const { status, text } of await Promise.all(open)) expect(status, text).to.equal(202);
    expect((await flood.client.post('/invoices', invoiceInput())).status, 'after the others').to.equal(202);
  });

  it('a client that sends further requests while its refusal waits loses its connection', async () => {
    const { client } = await stack.createTenant();
    const open = Array.from({ length: MAX_OPEN }, () => client.post('/invoices', invoiceInput()));
    await client.get('/invoices');
    const { hostname, port } = new URL(stack.origin);
    const head = `DELETE /v1/invoices HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${client.key}\r\n\r\n`;
    const received = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.write(head.repeat(3)));
      socket.on('data', (data) => {
        text += data.toString();
      });
      socket.on('error', () => undefined);
      socket.once('close', () => resolve(text));
    });
    expect(received.match(/HTTP\/1\.1 503/g) ?? []).to.have.length.below(2);
    for (const { status, text } of await Promise.all(open)) expect(status, text).to.equal(202);
  });

  it('a request whose client leaves before its body is complete is not open any more', async () => {
    const { client } = await stack.createTenant();
    const whole = gzipSync(JSON.stringify(invoiceInput()));
    const sendPart = () =>
      new Promise<void>((resolve) => {
        const { hostname, port } = new URL(stack.origin);
        const head = `POST /v1/invoices HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${client.key}\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: ${whole.length}\r\n\r\n`;
        const socket = connect(Number(port), hostname, () =>
          socket.write(Buffer.concat([Buffer.from(head), whole.subarray(0, 12)])),
        );
        setTimeout(() => socket.destroy(), 100);
        socket.once('close', () => resolve());
      });
    for (let round = 0; round < 2; round += 1) await Promise.all(Array.from({ length: MAX_OPEN }, sendPart));
    // The server notices a moment later that a client has left.
    await eventually('as many requests as may be open are accepted', async () => {
      const responses = await Promise.all(
        Array.from({ length: MAX_OPEN }, () => client.post('/invoices', invoiceInput())),
      );
      return responses.every(({ status }) => status === 202);
    });
  });
});
