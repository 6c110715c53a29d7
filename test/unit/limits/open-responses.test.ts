import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { OpenResponses } from '../../../shared/server/open-responses.js';
import { eventually } from '../../support/poll.js';

/** A body that is larger than the buffers of a connection whose client does not read. */
const LARGE = Buffer.alloc(16 * 1024 * 1024);

describe('responses to pipelined requests', () => {
  const STATES: Record<string, (response: ServerResponse) => void> = {
    whole: (response) => response.end(LARGE),
    started: (response) => response.writeHead(200).write('a part'),
    'not started': () => undefined,
  };
  let server: Server;
  let responses: { response: ServerResponse; closes: number }[];

  beforeEach(async () => {
    responses = [];
    const openResponses = new OpenResponses();
    server = createServer((request, response) => {
      const tracked = { response, closes: 0 };
      responses.push(tracked);
      openResponses.add(response, request.socket);
      response.on('close', () => {
        tracked.closes += 1;
      });
      STATES[decodeURIComponent((request.url ?? '').slice(1))]?.(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  for (const state of Object.keys(STATES)) {
    it(`all responses close once when the connection ends, including ${state} ones without a socket`, async () => {
      const { port } = server.address() as AddressInfo;
      const client = connect({ host: '127.0.0.1', port });
      client.on('error', () => undefined).pause();
      const requests = ['whole', state, state, state];
      client.write(
        requests.map((path) => `GET /${encodeURIComponent(path)} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''),
      );
      await eventually('all requests', () => responses.length === requests.length);
      client.destroy();
      await eventually('the end of all', () => responses.every(({ closes }) => closes > 0));
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      expect(responses.map(({ closes }) => closes)).to.deep.equal([1, 1, 1, 1]);
      for (const { response } of responses) expect(response.destroyed).to.equal(true);
    });
  }
});
