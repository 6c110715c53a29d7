import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { readPlainBytes } from '../../../api/middleware/body.js';

/** Sends the text in parts on a new connection, and returns the request that arrives. */
async function receive(
  head: string,
  use: (request: IncomingMessage, send: (part: string) => Promise<void>, cut: () => void) => Promise<void>,
): Promise<void> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay(true);
  socket.on('error', () => undefined);
  const send = async (part: string) => {
    socket.write(part);
    await sleep(2);
  };
  const arrival = once(server, 'request') as Promise<[IncomingMessage]>;
  try {
    await send(head);
    const [request] = await arrival;
    await use(request, send, () => socket.destroy());
  } finally {
    socket.destroy();
    server.close();
  }
}

const head = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;

describe('the body of a request with an announced length', () => {
  it('is complete and in sequence, in one part and in many', async () => {
    const text = Array.from({ length: 60 }, (_, nth) => `${nth},`).join('');
    for (const parts of [[text], [...text], [text.slice(0, 3), text.slice(3)]])
      await receive(head(text.length), async (request, send) => {
        const read = readPlainBytes(request);
        for (const part of parts) await send(part);
        expect((await read).toString()).to.equal(text);
      });
  });

  it('does not contain the next request of the same connection', async () => {
    await receive(`${head(3)}abc${head(3)}def`, async (request) => {
      expect((await readPlainBytes(request)).toString()).to.equal('abc');
    });
  });

  for (const [when, delayMs] of [
    ['while it is read', 0],
    ['before it is read', 50],
  ] as const)
    it(`is refused if the client closes the connection ${when}`, async () => {
      await receive(`${head(10)}half`, async (request, _send, cut) => {
        request.on('error', () => undefined);
        if (delayMs === 0) setTimeout(cut, 20);
        else cut();
        await sleep(delayMs);
        const error = await readPlainBytes(request).catch((caught: unknown) => caught);
        expect(error).to.have.property('code', 'invalid_json');
      });
    });
});
