import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { request } from 'undici';
import { refuseEarly } from '../../../api/admission/refuse-early.js';
import { LoopBudget } from '../../../shared/platform/limits/loop-budget.js';

describe('early refusals', () => {
  let server: Server;
  let ends: (() => void)[];
  let isClosing: boolean;
  let origin: string;

  beforeEach(async () => {
    isClosing = false;
    let clock = 0;
    ends = [];
    const budget = new LoopBudget({ now: () => clock, afterRequests: (end) => ends.push(end) });
    // For more than a second, run iterations that take too long. The next iteration then uses up
    // its budget.
    for (let nth = 0; nth < 12; nth += 1) {
      budget.countArrival();
      clock += 200;
      for (const end of ends.splice(0)) end();
    }
    budget.countArrival();
    clock += 101;
    const admission = { isFull: true, isFullFor: (tenantId: string) => tenantId === 'flood' };
    const parts = {
      admissions: { budget, forMethod: () => admission },
      config: { trustProxy: true },
      credentials: { findStale: (text: string) => (text === 'unknown' ? undefined : { tenantId: text }) },
      lifecycle: {
        get isClosing() {
          return isClosing;
        },
      },
      metrics: { refusedRequests: { inc: () => undefined } },
    } as unknown as Parameters<typeof refuseEarly>[0];
    server = createServer(refuseEarly(parts, (_, response) => response.end('handled')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  const send = async (path: string, headers: Record<string, string>) => {
    const response = await request(`${origin}${path}`, { headers });
    await response.body.dump();
    return response;
  };

  it('only the tenant over its share is refused, and health checks never are', async () => {
    const flood = { authorization: 'Bearer flood' };
    expect((await send('/v1/invoices', flood)).statusCode).to.equal(503);
    expect((await send('/v1/invoices', { authorization: 'Bearer quiet' })).statusCode).to.equal(200);
    expect((await send('/readyz?full', flood)).statusCode).to.equal(200);
  });

  it('of each network, one request with an unknown key is handled in an iteration', async () => {
    const from = (address: string) => ({ authorization: 'Bearer unknown', 'x-forwarded-for': address });
    expect((await send('/v1/invoices', from('192.0.2.1'))).statusCode).to.equal(200);
    expect((await send('/v1/invoices', from('192.0.2.1'))).statusCode).to.equal(503);
    expect((await send('/docs', { 'x-forwarded-for': '192.0.2.1' })).statusCode).to.equal(503);
    expect((await send('/v1/invoices', from('198.51.100.1'))).statusCode).to.equal(200);
    for (const end of ends.splice(0)) end();
    expect((await send('/v1/invoices', from('192.0.2.1'))).statusCode, 'in the next iteration').to.equal(200);
  });

  it('during a shutdown, a refusal closes the connection', async () => {
    const flood = { authorization: 'Bearer flood' };
    expect((await send('/v1/invoices', flood)).headers.connection).to.equal('keep-alive');
    isClosing = true;
    expect((await send('/v1/invoices', flood)).headers.connection).to.equal('close');
  });
});
