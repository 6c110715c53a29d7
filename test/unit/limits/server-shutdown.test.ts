import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { loadConfig } from '../../../shared/config/config.js';
import { Lifecycle } from '../../../shared/platform/lifecycle.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { openHttpServer } from '../../../shared/server/http-server.js';
import { eventually } from '../../support/poll.js';

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

describe('the shutdown of the HTTP server', () => {
  let lifecycle: Lifecycle;
  let port: number;
  let responses: ServerResponse[];
  const sockets: Socket[] = [];

  beforeEach(async () => {
    const environment = { PORT: '0', SECRET_KEY: 'a secret key that is long enough for anybody' };
    const config = loadConfig('all', { NODE_ENV: 'test', ...environment });
    const logger = createLogger({ level: 'silent', pretty: false, name: 'test' });
    lifecycle = new Lifecycle(logger);
    responses = [];
    const server = await openHttpServer(
      { config, lifecycle, logger },
      (_request, response) => void responses.push(response),
    );
    port = server.port;
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  async function open(sent: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(sent);
    return socket;
  }

  for (const [kind, sent] of [
    ['a connection without any request', ''],
    ['half a request', 'GET / HTTP/1.1\r\nHost: lo'],
  ] as const)
    it(`${kind} does not keep the server open`, async () => {
      await open(sent);
      // The shutdown must end, although the client sends no bytes and keeps its connection open.
      expect(await lifecycle.close(5000)).to.equal(true);
      expect(lifecycle.unclosed).to.deep.equal([]);
    });

  it('a request that has arrived gets its response first', async () => {
    const received = text(await open(REQUEST));
    await eventually('the request arrives', () => responses.length === 1);
    const closed = lifecycle.close(10_000);
    // Wait longer than the server waits for a request on a new connection.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    responses[0]?.end('complete');
    expect(await received).to.contain('complete');
    expect(await closed).to.equal(true);
  });
});
