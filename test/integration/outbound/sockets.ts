import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setImmediate as waitForTick } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { createOutboundClient } from '../../../shared/platform/outbound/client.js';
import { CANARIES, type Scenarios } from '../../support/network-namespace.js';
import { eventually } from '../../support/poll.js';
import {
  closed,
  expectSilent,
  failureOf,
  RULES,
  send,
  startCanary,
  startReceiver,
  withClient,
} from '../../support/receivers.js';

const resolveToCanary = async () => [CANARIES.public];
const countOpen = ({ connections }: { connections: { destroyed: boolean }[] }) =>
  connections.filter(({ destroyed }) => !destroyed).length;

const keepAlive: Scenarios = {
  'the client reuses a socket and then reports connectMs null': async () => {
    const canary = await startCanary(CANARIES.public);
    await withClient(async (client) => {
      expect((await send(client, canary.url)).connectMs).to.be.a('number');
      for (let nth = 1; nth < 4; nth += 1) {
        expect(await send(client, canary.url)).to.include({
          connectMs: null,
          remoteAddress: CANARIES.public,
        });
      }
      await Promise.all(Array.from({ length: 8 }, () => send(client, canary.url)));
      await Promise.all(Array.from({ length: 8 }, () => send(client, canary.url)));
      expect(canary.connections).to.have.length(8);
    });
    // The client closes its sockets when it closes.
    await Promise.all(canary.connections.map((one) => closed(one)));
  },

  'the client never uses a socket for another hostname or port of the same address': async () => {
    const canary = await startCanary(CANARIES.public);
    await withClient(
      async (client) => {
        for (const name of ['one.example', 'two.example', 'one.example']) {
          await send(client, `http://${name}:${canary.port}/`);
        }
        expect(canary.connections).to.have.length(2);
        expect(canary.asked.map(({ host }) => host?.split(':')[0])).to.deep.equal([
          'one.example',
          'two.example',
          'one.example',
        ]);
      },
      { resolve: resolveToCanary },
    );
  },

  'the client sends over a new socket when the receiver has closed the kept one': async () => {
    // The receiver promises keep-alive and closes the socket after the response.
    const bodies: number[] = [];
    const receiver = await startReceiver((socket) => {
      socket.once('data', (request) => {
        bodies.push(Number(request.toString().split('\r\n\r\n')[1]));
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      });
    });
    await withClient(async (client) => {
      for (let nth = 0; nth < 20; nth += 1) {
        // The poll of the next event-loop tick finds the closed socket: after the client accepted
        // the request, before it writes it.
        await waitForTick();
        const response = await send(client, receiver.url, { body: String(nth) });
        expect(response.status).to.equal(200);
        expect(response.connectMs).to.be.a('number');
      }
      expect(bodies).to.deep.equal([...Array(20).keys()]);
    });
  },

  'the client repeats a request that a kept socket left without a response, if it is repeatable':
    async () => {
      const seen: string[] = [];
      const canary = await startCanary(CANARIES.public, 0, (request, response) => {
        const isSecond = seen.includes(String(request.socket.remotePort));
        seen.push(String(request.socket.remotePort));
        if (isSecond) request.socket.destroy();
        else response.end('ok');
      });
      await withClient(async (client) => {
        await send(client, canary.url);
        expect((await failureOf(send(client, canary.url))).kind).to.equal('reset');
        await send(client, canary.url);
        expect((await send(client, canary.url, { isRepeatable: true })).status).to.equal(200);
        expect([canary.asked.length, canary.connections.length]).to.deep.equal([5, 3]);
      });
      await withClient(async (client) => {
        const before = canary.asked.length;
        await Promise.all(Array.from({ length: 4 }, () => send(client, canary.url)));
        expect((await send(client, canary.url, { isRepeatable: true })).status).to.equal(200);
        expect(canary.asked, 'once more, not once for each kept socket').to.have.length(before + 6);
      });
      const closingReceiver = await startReceiver(
        (socket) => void socket.once('data', () => socket.destroy()),
      );
      await withClient(async (client) => {
        const response = send(client, closingReceiver.url, { isRepeatable: true });
        expect((await failureOf(response)).kind).to.equal('reset');
        expect(closingReceiver.connections).to.have.length(1);
      });
    },

  'the client does not reuse a socket after Connection: close or after surplus response bytes': async () => {
    const canary = await startCanary(CANARIES.public, 0, (_request, response) => {
      response.writeHead(200, { connection: 'close' }).end('ok');
    });
    const surplusReceiver = await startReceiver((socket) => {
      socket.on('data', () =>
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n'),
      );
    });
    await withClient(async (client) => {
      for (const { url, connections } of [canary, surplusReceiver]) {
        for (let nth = 0; nth < 3; nth += 1) await send(client, url);
        expect(connections).to.have.length(3);
      }
    });
  },

  "the client closes an idle socket before the server's keep-alive timeout": async () => {
    const canary = await startCanary(CANARIES.public, 0, (_request, response) => {
      response.writeHead(200, { connection: 'keep-alive', 'keep-alive': 'timeout=3' }).end('ok');
    });
    await withClient(async (client) => {
      await send(client, canary.url);
      // The client closes it two seconds early, because a request needs time to arrive.
      await closed(canary.connections[0], 5000);
    });
  },

  'the client keeps at most 1000 idle sockets and closes the longest idle first': async () => {
    // The receiver never closes a socket.
    const canary = await startReceiver((socket) => {
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
    });
    await withClient(
      async (client) => {
        for (let round = 0; round < 11; round += 1) {
          const names = Array.from({ length: 100 }, (_, nth) => `n${round * 100 + nth}.example`);
          await Promise.all(names.map((name) => send(client, `http://${name}:${canary.port}/`)));
        }
        expect(canary.connections).to.have.length(1100);
        await eventually('a hundred are closed', () => countOpen(canary) === 1000, 5000);
        // The client closed the longest idle sockets and kept the last ones.
        expect((await send(client, `http://n1099.example:${canary.port}/`)).connectMs).to.equal(null);
        expect((await send(client, `http://n0.example:${canary.port}/`)).connectMs).to.be.a('number');
      },
      { resolve: resolveToCanary },
    );
    await eventually('all are closed with the client', () => countOpen(canary) === 0);
  },

  'close() of the client waits for running requests and refuses new ones': async () => {
    const canary = await startCanary(CANARIES.public, 0, (_request, response) => {
      setTimeout(() => response.end('late'), 200);
    });
    const client = createOutboundClient(RULES);
    const running = send(client, canary.url);
    await eventually('the request has arrived', () => canary.asked.length === 1);
    const sequence: string[] = [];
    const closing = client.close().then(() => sequence.push('closed'));
    expect((await failureOf(send(client, canary.url))).kind).to.equal('connect');
    expect((await running).body.toString()).to.equal('late');
    sequence.push('answered');
    await closing;
    expect(sequence).to.deep.equal(['answered', 'closed']);
    await closed(canary.connections[0]);
    expect(canary.connections).to.have.length(1);
  },
};

const TLS = join(import.meta.dirname, '../../fixtures/tls');
const readFixture = (name: string) => readFileSync(join(TLS, name));

/** Starts a TLS receiver that records the SNI name and the Host header of each request. */
async function startTlsReceiver(certificate: 'receiver' | 'stranger') {
  const serverNames: (string | false | null | undefined)[] = [];
  const hosts: (string | undefined)[] = [];
  const server = createHttps(
    { cert: readFixture(`${certificate}.pem`), key: readFixture(`${certificate}-key.pem`) },
    (request, response) => {
      hosts.push(request.headers.host);
      response.end('ok');
    },
  );
  server.on('secureConnection', (socket: TLSSocket) => serverNames.push(socket.servername));
  server.listen(0, CANARIES.public);
  await once(server, 'listening');
  server.unref();
  return { port: (server.address() as AddressInfo).port, asked: serverNames, hosts };
}

const tls: Scenarios = {
  'the client uses the original hostname in SNI and for the certificate, not the address': async () => {
    const { port, asked: serverNames, hosts } = await startTlsReceiver('receiver');
    await withClient(
      async (client) => {
        for (const host of [
          'receiver.example',
          'hooks.receiver.example',
          'receiver.example.',
          'receiver.example',
        ]) {
          expect((await send(client, `https://${host}:${port}/`)).status, host).to.equal(200);
        }
      },
      { allowHttp: false, resolve: resolveToCanary },
    );
    expect(serverNames).to.deep.equal(['receiver.example', 'hooks.receiver.example', 'receiver.example']);
    expect(hosts.map((host) => host?.replace(`:${port}`, ''))).to.deep.equal([
      'receiver.example',
      'hooks.receiver.example',
      'receiver.example.',
      'receiver.example',
    ]);
  },

  'the client refuses certificates of another name and untrusted ones, whatever environment variables say':
    async () => {
      const trusted = await startTlsReceiver('receiver');
      const selfSigned = await startTlsReceiver('stranger');
      const plain = await startCanary(CANARIES.public);
      await withClient(
        async (client) => {
          for (const [url, expectedCode] of [
            [`https://other.example:${trusted.port}/`, 'ERR_TLS_CERT_ALTNAME_INVALID'],
            [`https://a.b.receiver.example:${trusted.port}/`, 'ERR_TLS_CERT_ALTNAME_INVALID'],
            [`https://${CANARIES.public}:${trusted.port}/`, 'ERR_TLS_CERT_ALTNAME_INVALID'],
            [`https://stranger.example:${selfSigned.port}/`, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
            [`https://receiver.example:${plain.port}/`, 'ERR_SSL'],
          ] as const) {
            const error = await failureOf(send(client, url));
            expect(error).to.include({ kind: 'tls', remoteAddress: CANARIES.public });
            expect(error.message).to.include(expectedCode);
            expectSilent(error);
          }
        },
        { resolve: resolveToCanary },
      );
      expect([...trusted.hosts, ...selfSigned.hosts, ...plain.asked]).to.deep.equal([]);
    },
};

export const scenarios: Scenarios = { ...keepAlive, ...tls };
