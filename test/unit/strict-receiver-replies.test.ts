import { request } from 'node:http';
import { expect } from 'chai';
import { eventually } from '../support/poll.js';
import { type Reply, StrictReceiver } from '../support/strict-receiver.js';

interface Taken {
  status: number | undefined;
  headers: Record<string, unknown>;
  bytes: number;
  /** Code of the error that ended it. */
  error: string | undefined;
}

/** Sends a request and takes what comes for so long, then cuts the connection. */
function take(url: string, patienceMs = 400): Promise<Taken> {
  const taken: Taken = { status: undefined, headers: {}, bytes: 0, error: undefined };
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', agent: false });
    const timer = setTimeout(() => sent.destroy(), patienceMs);
    sent.on('error', (error: NodeJS.ErrnoException) => {
      taken.error = error.code;
    });
    sent.on('response', (response) => {
      Object.assign(taken, { status: response.statusCode, headers: response.headers });
      response.on('error', () => undefined);
      response.on('data', (chunk: Buffer) => {
        taken.bytes += chunk.length;
      });
    });
    sent.on('close', () => {
      clearTimeout(timer);
      resolve(taken);
    });
    sent.end('{}');
  });
}

describe('the strict receiver, told to misbehave', () => {
  let receiver: StrictReceiver;

  before(async () => {
    receiver = await StrictReceiver.start();
  });
  after(() => receiver.stop());

  /** What a sender gets, and the endpoint when the connection is gone. */
  async function reply(what: Reply, patienceMs?: number) {
    const endpoint = receiver.add({ respond: () => what });
    const taken = await take(endpoint.url, patienceMs);
    await eventually('the request is over', () => endpoint.requests[0]?.isOver === true);
    expect(endpoint.inFlight).to.equal(0);
    return { taken, endpoint };
  }

  it('answers with the status, headers and body that it is told, after the delay', async () => {
    const { taken } = await reply({ status: 429, headers: { 'retry-after': '7' }, body: 'slower' }, 5000);
    expect(taken).to.deep.include({ status: 429, bytes: 6 });
    expect(taken.headers).to.include({ 'retry-after': '7' });
    const late = await reply({ delayMs: 60_000 });
    expect(late.taken.status).to.equal(undefined);
  });

  it('answers 200 when it is told nothing, and by the number of the attempt when it is told so', async () => {
    expect((await take(receiver.endpoint.url, 5000)).status).to.equal(200);
    const endpoint = receiver.add({ respond: (_request, nth) => ({ status: nth < 3 ? 500 : 204 }) });
    const statuses: (number | undefined)[] = [];
    for (let nth = 0; nth < 3; nth += 1) statuses.push((await take(endpoint.url, 5000)).status);
    expect(statuses).to.deep.equal([500, 500, 204]);
  });

  it('redirects', async () => {
    const { taken } = await reply({ redirect: 'http://127.0.0.1:1/', status: 307 }, 5000);
    expect(taken).to.include({ status: 307 });
    expect(taken.headers).to.include({ location: 'http://127.0.0.1:1/' });
  });

  it('hangs: says nothing at all', async () => {
    const { taken } = await reply('hang');
    expect(taken).to.include({ status: undefined, bytes: 0 });
  });

  it('resets the connection', async () => {
    const { taken } = await reply('reset', 5000);
    expect(taken).to.include({ status: undefined, error: 'ECONNRESET' });
  });

  it('drips: some bytes of a body that never ends, or not even a whole head', async () => {
    const { taken } = await reply('drip');
    expect(taken.status).to.equal(200);
    expect(taken.bytes).to.be.within(1, 20);
    expect((await reply('drip-head')).taken.status).to.equal(undefined);
  });

  it('answers endlessly, and tells how much it got rid of', async () => {
    const { taken, endpoint } = await reply('endless');
    expect(taken.bytes).to.be.above(1024 * 1024);
    expect(endpoint.requests[0]?.written).to.be.at.least(taken.bytes);
  });

  it('sends a gzip bomb: little on the wire, a thousand times as much inside', async () => {
    const { taken } = await reply('gzip-bomb', 5000);
    expect(taken.headers).to.include({ 'content-encoding': 'gzip' });
    expect(taken.bytes).to.be.within(1024, 64 * 1024);
  });

  it('counts what is in flight at once, and what was given up before it was whole', async () => {
    const endpoint = receiver.add({ respond: () => ({ delayMs: 200 }) });
    await Promise.all([1, 2, 3].map(() => take(endpoint.url, 5000)));
    expect(endpoint).to.include({ maxInFlight: 3, inFlight: 0 });
    expect(endpoint.arrivals).to.have.length(3);
    const cut = request(endpoint.url, { method: 'POST', agent: false, headers: { 'content-length': '9' } });
    cut.on('error', () => undefined).write('{');
    await eventually('it is under way', () => endpoint.inFlight === 1);
    cut.destroy();
    await eventually('it is given up', () => endpoint.aborted === 1);
    expect(endpoint.requests).to.have.length(3);
  });
});
