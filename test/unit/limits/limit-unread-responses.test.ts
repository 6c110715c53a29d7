import { once } from 'node:events';
import { createServer, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import { request } from 'undici';
import { limitUnreadResponses } from '../../../api/middleware/limit-unread-responses.js';
import { UnsentResponses } from '../../../shared/platform/process/unsent-responses.js';

const MAX_BYTES = 8 * 1024 * 1024;
const TENANT = 'a tenant';

describe('limit on unread responses', () => {
  it('an open stream continues and is counted when other responses use up the limit meanwhile', async () => {
    const unsentResponses = new UnsentResponses(MAX_BYTES);
    const app = new Koa();
    const errors: unknown[] = [];
    app.on('error', (error) => errors.push(error));
    app.use((ctx, next) => {
      ctx.state.key = { tenantId: TENANT };
      return next();
    });
    app.use(limitUnreadResponses({ unsentResponses }) as unknown as Koa.Middleware);
    const counted: ServerResponse[] = [];
    app.use((ctx) => {
      ctx.respond = false;
      ctx.res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': open\n\n');
      // Simulate a concurrent request whose response uses up the limit.
      unsentResponses.track(TENANT, new ServerResponse(ctx.req), MAX_BYTES);
      setImmediate(() => ctx.res.end('data: 1\n\n'));
      counted.push(ctx.res);
    });
    const track = unsentResponses.track.bind(unsentResponses);
    const tracked: ServerResponse[] = [];
    unsentResponses.track = (holder, response, bytes) => {
      tracked.push(response);
      track(holder, response, bytes);
    };
    const server = createServer(app.callback()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const received = await request(`http://127.0.0.1:${port}`);
      expect([received.statusCode, await received.body.text()]).to.deep.equal([200, ': open\n\ndata: 1\n\n']);
    } finally {
      server.close();
      server.closeAllConnections();
    }
    expect(errors).to.deep.equal([]);
    expect(tracked).to.include(counted[0]);
  });
});
