import { request } from 'node:http';
import { expect } from 'chai';
import { eventually } from '../../support/poll.js';
import { type ReceiverBehavior, StrictReceiver } from '../../support/webhooks/strict-receiver.js';

interface ReceivedResponse {
  status: number | undefined;
  headers: Record<string, unknown>;
  bytes: number;
  /** Code of the error that ended the request. */
  error: string | undefined;
}

/**
 * Sends a request, receives for `patienceMs`, and closes the connection. Returns all that arrived.
 */
function sendAndReceive(url: string, patienceMs = 400): Promise<ReceivedResponse> {
  const received: ReceivedResponse = { status: undefined, headers: {}, bytes: 0, error: undefined };
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', agent: false });
    const timer = setTimeout(() => sent.destroy(), patienceMs);
    sent.on('error', (error: NodeJS.ErrnoException) => {
      received.error = error.code;
    });
    sent.on('response', (response) => {
      Object.assign(received, { status: response.statusCode, headers: response.headers });
      response.on('error', () => undefined);
      response.on('data', (chunk: Buffer) => {
        received.bytes += chunk.length;
      });
    });
    sent.on('close', () => {
      clearTimeout(timer);
      resolve(received);
    });
    sent.end('{}');
  });
}

describe('strict receiver: configured misbehaviour', () => {
  let receiver: StrictReceiver;

  before(async () => {
    receiver = await StrictReceiver.start();
  });
  after(() => receiver.stop());

  /**
   * Sends a request to an endpoint that replies as configured. Resolves once the connection is
   * closed.
   */
  async function sendForReply(configured: ReceiverBehavior, patienceMs?: number) {
    const endpoint = receiver.add({ respond: () => configured });
    const received = await sendAndReceive(endpoint.url, patienceMs);
    await eventually('the request is over', () => endpoint.requests[0]?.isOver === true);
    expect(endpoint.inFlight).to.equal(0);
    return { received, endpoint };
  }

  it('the receiver responds with the configured status, headers and body after the delay', async () => {
    const { received } = await sendForReply(
      { status: 429, headers: { 'retry-after': '7' }, body: 'slower' },
      5000,
    );
    expect(received).to.deep.include({ status: 429, bytes: 6 });
    expect(received.headers).to.include({ 'retry-after': '7' });
    const delayed = await sendForReply({ delayMs: 60_000 });
    expect(delayed.received.status).to.equal(undefined);
  });

  it('the receiver responds 200 by default, or by the number of the attempt if configured', async () => {
    expect((await sendAndReceive(receiver.endpoint.url, 5000)).status).to.equal(200);
    const endpoint = receiver.add({ respond: (_request, nth) => ({ status: nth < 3 ? 500 : 204 }) });
    const statuses: (number | undefined)[] = [];
    for (let nth = 0; nth < 3; nth += 1) statuses.push((await sendAndReceive(endpoint.url, 5000)).status);
    expect(statuses).to.deep.equal([500, 500, 204]);
  });

  it('the receiver redirects', async () => {
    const { received } = await sendForReply({ redirect: 'http://127.0.0.1:1/', status: 307 }, 5000);
    expect(received).to.include({ status: 307 });
    expect(received.headers).to.include({ location: 'http://127.0.0.1:1/' });
  });

  it('the receiver hangs without any response', async () => {
    const { received } = await sendForReply('hang');
    expect(received).to.include({ status: undefined, bytes: 0 });
  });

  it('the receiver resets the connection', async () => {
    const { received } = await sendForReply('reset', 5000);
    expect(received).to.include({ status: undefined, error: 'ECONNRESET' });
  });

  it('the receiver drips a few bytes of an endless body, or an incomplete head', async () => {
    const { received } = await sendForReply('drip');
    expect(received.status).to.equal(200);
    expect(received.bytes).to.be.within(1, 20);
    expect((await sendForReply('drip-head')).received.status).to.equal(undefined);
  });

  it('the receiver sends an endless response and counts the bytes it wrote', async () => {
    const { received, endpoint } = await sendForReply('endless');
    expect(received.bytes).to.be.above(1024 * 1024);
    expect(endpoint.requests[0]?.written).to.be.at.least(received.bytes);
  });

  it('the receiver sends a gzip bomb that is a thousand times larger when unpacked', async () => {
    const { received } = await sendForReply('gzip-bomb', 5000);
    expect(received.headers).to.include({ 'content-encoding': 'gzip' });
    expect(received.bytes).to.be.within(1024, 64 * 1024);
  });

  it('the receiver counts concurrent requests and requests aborted before their end', async () => {
    const endpoint = receiver.add({ respond: () => ({ delayMs: 200 }) });
    await Promise.all([1, 2, 3].map(() => sendAndReceive(endpoint.url, 5000)));
    expect(endpoint).to.include({ maxInFlight: 3, inFlight: 0 });
    expect(endpoint.arrivals).to.have.length(3);
    const abortedRequest = request(endpoint.url, {
      method: 'POST',
      agent: false,
      headers: { 'content-length': '9' },
    });
    abortedRequest.on('error', () => undefined).write('{');
    await eventually('the request is in flight', () => endpoint.inFlight === 1);
    abortedRequest.destroy();
    await eventually('the request is aborted', () => endpoint.aborted === 1);
    expect(endpoint.requests).to.have.length(3);
  });
});
