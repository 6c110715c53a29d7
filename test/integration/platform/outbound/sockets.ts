import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setImmediate as waitForTick } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { createOutboundClient } from '../../../../shared/outbound/client.js';
import { CANARY_ADDRESSES, type NamespaceScenarios } from '../../../support/network/network-namespace.js';
import { eventually } from '../../../support/poll.js';
import {
  expectNoInternals,
  expectOutboundError,
  OUTBOUND_TEST_RULES,
  sendOutbound,
  startCanary,
  startReceiver,
  waitForClose,
  withOutboundClient,
} from '../../../support/webhooks/receivers.js';

const resolveToCanary = async () => [CANARY_ADDRESSES.public];
const countOpen = ({ connections }: { connections: { destroyed: boolean }[] }) =>
  connections.filter(({ destroyed }) => !destroyed).length;

const keepAlive: NamespaceScenarios = {
  'the client reuses a socket and then reports connectMs null': async () => {
    const canary = await startCanary(CANARY_ADDRESSES.public);
    await withOutboundClient(async (client) => {
      expect((await sendOutbound(client, canary.url)).connectMs).to.be.a('number');
      for (let nth = 1; nth < 4; nth += 1) {
        expect(await sendOutbound(client, canary.url)).to.include({
          connectMs: null,
          remoteAddress: CANARY_ADDRESSES.public,
        });
      }
      await Promise.all(Array.from({ length: 8 }, () => sendOutbound(client, canary.url)));
      await Promise.all(Array.from({ length: 8 }, () => sendOutbound(client, canary.url)));
      expect(canary.connections).to.have.length(8);
    });
    // Closing the client also closes its sockets.
    await Promise.all(canary.connections.map((one) => waitForClose(one)));
  },

  'the client never uses a socket for another hostname or port of the same address': async () => {
    const canary = await startCanary(CANARY_ADDRESSES.public);
    await withOutboundClient(
      async (client) => {
        for (const name of ['one.example', 'two.example', 'one.example']) {
          await sendOutbound(client, `http://${name}:${canary.port}/`);
        }
        expect(canary.connections).to.have.length(2);
        expect(canary.requests.map(({ host }) => host?.split(':')[0])).to.deep.equal([
          'one.example',
          'two.example',
          'one.example',
        ]);
      },
      { resolve: resolveToCanary },
    );
  },

  'the client sends over a new socket when the receiver has closed the kept one': async () => {
    // The receiver promises keep-alive, but closes the socket after the response.
    const bodies: number[] = [];
    const receiver = await startReceiver((socket) => {
      socket.once('data', (request) => {
        bodies.push(Number(request.toString().split('\r\n\r\n')[1]));
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      });
    });
    await withOutboundClient(async (client) => {
      for (let nth = 0; nth < 20; nth += 1) {
        // Wait one event-loop tick, so that the client notices the closed socket between accepting
        // the request and writing it.
        await waitForTick();
        const response = await sendOutbound(client, receiver.url, { body: String(nth) });
        expect(response.status).to.equal(200);
        expect(response.connectMs).to.be.a('number');
      }
      expect(bodies).to.deep.equal([...Array(20).keys()]);
    });
  },

  'the client repeats a request that a kept socket left without a response, if it is repeatable':
    async () => {
      const seen: string[] = [];
      const canary = await startCanary(CANARY_ADDRESSES.public, 0, (request, response) => {
        const isSecond = seen.includes(String(request.socket.remotePort));
        seen.push(String(request.socket.remotePort));
        if (isSecond) request.socket.destroy();
        else response.end('ok');
      });
      await withOutboundClient(async (client) => {
        await sendOutbound(client, canary.url);
        expect((await expectOutboundError(sendOutbound(client, canary.url))).kind).to.equal('reset');
        await sendOutbound(client, canary.url);
        expect((await sendOutbound(client, canary.url, { isIdempotent: true })).status).to.equal(200);
        expect([canary.requests.length, canary.connections.length]).to.deep.equal([5, 3]);
      });
      await withOutboundClient(async (client) => {
        const before = canary.requests.length;
        await Promise.all(Array.from({ length: 4 }, () => sendOutbound(client, canary.url)));
        expect((await sendOutbound(client, canary.url, { isIdempotent: true })).status).to.equal(200);
        expect(canary.requests, 'once more, not once for each kept socket').to.have.length(before + 6);
      });
      const closingReceiver = await startReceiver(
        (socket) => void socket.once('data', () => socket.destroy()),
      );
      await withOutboundClient(async (client) => {
        const response = sendOutbound(client, closingReceiver.url, { isIdempotent: true });
        expect((await expectOutboundError(response)).kind).to.equal('reset');
        expect(closingReceiver.connections).to.have.length(1);
      });
    },

  'the client does not reuse a socket after Connection: close or after surplus response bytes': async () => {
    const canary = await startCanary(CANARY_ADDRESSES.public, 0, (_request, response) => {
      response.writeHead(200, { connection: 'close' }).end('ok');
    });
    const surplusReceiver = await startReceiver((socket) => {
      socket.on('data', () =>
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n'),
      );
    });
    await withOutboundClient(async (client) => {
      for (const { url, connections } of [canary, surplusReceiver]) {
        for (let nth = 0; nth < 3; nth += 1) await sendOutbound(client, url);
        expect(connections).to.have.length(3);
      }
    });
  },

  "the client closes an idle socket before the server's keep-alive timeout": async () => {
    const canary = await startCanary(CANARY_ADDRESSES.public, 0, (_request, response) => {
      response.writeHead(200, { connection: 'keep-alive', 'keep-alive': 'timeout=3' }).end('ok');
    });
    await withOutboundClient(async (client) => {
      await sendOutbound(client, canary.url);
      // The client closes the socket two seconds before the server's timeout, because a request
      // that is sent later could arrive after this timeout.
      await waitForClose(canary.connections[0], 5000);
    });
  },

  'the client keeps at most 1000 idle sockets and closes the longest idle first': async () => {
    // This receiver never closes a socket.
    const canary = await startReceiver((socket) => {
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
    });
    await withOutboundClient(
      async (client) => {
        for (let round = 0; round < 11; round += 1) {
          const names = Array.from({ length: 100 }, (_, nth) => `n${round * 100 + nth}.example`);
          await Promise.all(names.map((name) => sendOutbound(client, `http://${name}:${canary.port}/`)));
        }
        expect(canary.connections).to.have.length(1100);
        await eventually('a hundred are closed', () => countOpen(canary) === 1000, 5000);
        // The most recently used socket is still open. The socket that was idle longest was closed,
        // so the client connects again.
        expect((await sendOutbound(client, `http://n1099.example:${canary.port}/`)).connectMs).to.equal(null);
        expect((await sendOutbound(client, `http://n0.example:${canary.port}/`)).connectMs).to.be.a('number');
      },
      { resolve: resolveToCanary },
    );
    await eventually('all are closed with the client', () => countOpen(canary) === 0);
  },

  'close() of the client waits for running requests and refuses new ones': async () => {
    const canary = await startCanary(CANARY_ADDRESSES.public, 0, (_request, response) => {
      setTimeout(() => response.end('late'), 200);
    });
    const client = createOutboundClient(OUTBOUND_TEST_RULES);
    const running = sendOutbound(client, canary.url);
    await eventually('the request has arrived', () => canary.requests.length === 1);
    const sequence: string[] = [];
    const closing = client.close().then(() => sequence.push('closed'));
    expect((await expectOutboundError(sendOutbound(client, canary.url))).kind).to.equal('connect');
    expect((await running).body.toString()).to.equal('late');
    sequence.push('answered');
    await closing;
    expect(sequence).to.deep.equal(['answered', 'closed']);
    await waitForClose(canary.connections[0]);
    expect(canary.connections).to.have.length(1);
  },
};

const TLS = join(import.meta.dirname, '../../../fixtures/tls');
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
  server.listen(0, CANARY_ADDRESSES.public);
  await once(server, 'listening');
  server.unref();
  return { port: (server.address() as AddressInfo).port, asked: serverNames, hosts };
}

const tls: NamespaceScenarios = {
  'the client uses the original hostname in SNI and for the certificate, not the address': async () => {
    const { port, asked: serverNames, hosts } = await startTlsReceiver('receiver');
    await withOutboundClient(
      async (client) => {
        for (const host of [
          'receiver.example',
          'hooks.receiver.example',
          'receiver.example.',
          'receiver.example',
        ]) {
          expect((await sendOutbound(client, `https://${host}:${port}/`)).status, host).to.equal(200);
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
      const plain = await startCanary(CANARY_ADDRESSES.public);
      await withOutboundClient(
        async (client) => {
          for (const [url, expectedCode] of [
            [`https://other.example:${trusted.port}/`, 'ERR_TLS_CERT_ALTNAME_INVALID'],
            [`https://a.b.receiver.example:${trusted.port}/`, 'ERR_TLS_CERT_ALTNAME_INVALID'],
            [`https://${CANARY_ADDRESSES.public}:${trusted.port}/`, 'ERR_TLS_CERT_ALTNAME_INVALID'],
            [`https://stranger.example:${selfSigned.port}/`, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
            [`https://receiver.example:${plain.port}/`, 'ERR_SSL'],
          ] as const) {
            const error = await expectOutboundError(sendOutbound(client, url));
            expect(error).to.include({ kind: 'tls', remoteAddress: CANARY_ADDRESSES.public });
            expect(error.message).to.include(expectedCode);
            expectNoInternals(error);
          }
        },
        { resolve: resolveToCanary },
      );
      expect([...trusted.hosts, ...selfSigned.hosts, ...plain.requests]).to.deep.equal([]);
    },
};

export const scenarios: NamespaceScenarios = { ...keepAlive, ...tls };
