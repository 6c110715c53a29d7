import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
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

const toCanary = async () => [CANARIES.public];
const living = ({ connections }: { connections: { destroyed: boolean }[] }) =>
  connections.filter(({ destroyed }) => !destroyed).length;

const keepAlive: Scenarios = {
  'uses a socket again, and tells that nothing was connected': async () => {
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
    // Closed with the client.
    await Promise.all(canary.connections.map((one) => closed(one)));
  },

  'never lends a socket to another name or port of the same address': async () => {
    const canary = await startCanary(CANARIES.public);
    await withClient(
      async (client) => {
        for (const name of ['one.example', 'two.example', 'one.example']) {
          await send(client, `http://${name}:${canary.port}/`);
        }
        expect(canary.connections).to.have.length(2);
        expect(canary.asked.map(({ host }) => host?.split(':')[0])).to.deep.equal([
          ...['one.example', 'two.example', 'one.example'],
        ]);
      },
      { resolve: toCanary },
    );
  },

  'sends over a new socket when the kept one was closed meanwhile': async () => {
    // It promises to keep the socket and ends it behind the answer.
    const bodies: number[] = [];
    const receiver = await startReceiver((socket) => {
      socket.once('data', (request) => {
        bodies.push(Number(request.toString().split('\r\n\r\n')[1]));
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      });
    });
    await withClient(async (client) => {
      for (let nth = 0; nth < 20; nth += 1) {
        // The next turn's poll finds the end: after the request was taken, before it is written.
        await turn();
        const answer = await send(client, receiver.url, { body: String(nth) });
        expect(answer.status).to.equal(200);
        expect(answer.connectMs).to.be.a('number');
      }
      expect(bodies).to.deep.equal([...Array(20).keys()]);
    });
  },

  'repeats what a kept socket left without any answer, if the receiver knows repetitions': async () => {
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
    const dead = await startReceiver((socket) => void socket.once('data', () => socket.destroy()));
    await withClient(async (client) => {
      const answer = send(client, dead.url, { isRepeatable: true });
      expect((await failureOf(answer)).kind).to.equal('reset');
      expect(dead.connections).to.have.length(1);
    });
  },

  'does not use a socket that was said to close, nor one that says more than it was asked': async () => {
    const canary = await startCanary(CANARIES.public, 0, (_request, response) => {
      response.writeHead(200, { connection: 'close' }).end('ok');
    });
    const talker = await startReceiver((socket) => {
      socket.on('data', () =>
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n'),
      );
    });
    await withClient(async (client) => {
      for (const { url, connections } of [canary, talker]) {
        for (let nth = 0; nth < 3; nth += 1) await send(client, url);
        expect(connections).to.have.length(3);
      }
    });
  },

  'lets a socket wait no longer than its server says': async () => {
    const canary = await startCanary(CANARIES.public, 0, (_request, response) => {
      response.writeHead(200, { connection: 'keep-alive', 'keep-alive': 'timeout=3' }).end('ok');
    });
    await withClient(async (client) => {
      await send(client, canary.url);
      // Two seconds early, for the way there.
      await closed(canary.connections[0], 5000);
    });
  },

  'keeps a bounded number of sockets waiting, however many receivers there are': async () => {
    // It never closes a socket of its own accord.
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
        await eventually('a hundred are closed', () => living(canary) === 1000, 5000);
        // The longest waiting went, the last ones stayed.
        expect((await send(client, `http://n1099.example:${canary.port}/`)).connectMs).to.equal(null);
        expect((await send(client, `http://n0.example:${canary.port}/`)).connectMs).to.be.a('number');
      },
      { resolve: toCanary },
    );
    await eventually('all are closed with the client', () => living(canary) === 0);
  },

  'waits at its close for what is under way, and takes nothing more': async () => {
    const canary = await startCanary(CANARIES.public, 0, (_request, response) => {
      setTimeout(() => response.end('late'), 200);
    });
    const client = createOutboundClient(RULES);
    const underWay = send(client, canary.url);
    await eventually('it has arrived', () => canary.asked.length === 1);
    const order: string[] = [];
    const closing = client.close().then(() => order.push('closed'));
    expect((await failureOf(send(client, canary.url))).kind).to.equal('connect');
    expect((await underWay).body.toString()).to.equal('late');
    order.push('answered');
    await closing;
    expect(order).to.deep.equal(['answered', 'closed']);
    await closed(canary.connections[0]);
    expect(canary.connections).to.have.length(1);
  },
};

const TLS = join(import.meta.dirname, '../../fixtures/tls');
const read = (name: string) => readFileSync(join(TLS, name));

/** A receiver over TLS that notes the name each client asked for. */
async function startSecure(certificate: 'receiver' | 'stranger') {
  const asked: (string | false | null | undefined)[] = [];
  const hosts: (string | undefined)[] = [];
  const server = createHttps(
    { cert: read(`${certificate}.pem`), key: read(`${certificate}-key.pem`) },
    (request, response) => {
      hosts.push(request.headers.host);
      response.end('ok');
    },
  );
  server.on('secureConnection', (socket: TLSSocket) => asked.push(socket.servername));
  server.listen(0, CANARIES.public);
  await once(server, 'listening');
  server.unref();
  return { port: (server.address() as AddressInfo).port, asked, hosts };
}

const tls: Scenarios = {
  'names the original host in SNI and on the certificate, not the address': async () => {
    const { port, asked, hosts } = await startSecure('receiver');
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
      { allowHttp: false, resolve: toCanary },
    );
    expect(asked).to.deep.equal(['receiver.example', 'hooks.receiver.example', 'receiver.example']);
    expect(hosts.map((host) => host?.replace(`:${port}`, ''))).to.deep.equal([
      ...['receiver.example', 'hooks.receiver.example', 'receiver.example.', 'receiver.example'],
    ]);
  },

  'refuses a certificate of another name or of nobody, whatever the environment says': async () => {
    const known = await startSecure('receiver');
    const unknown = await startSecure('stranger');
    const plain = await startCanary(CANARIES.public);
    await withClient(
      async (client) => {
        for (const [url, why] of [
          [`https://other.example:${known.port}/`, 'ERR_TLS_CERT_ALTNAME_INVALID'],
          [`https://a.b.receiver.example:${known.port}/`, 'ERR_TLS_CERT_ALTNAME_INVALID'],
          [`https://${CANARIES.public}:${known.port}/`, 'ERR_TLS_CERT_ALTNAME_INVALID'],
          [`https://stranger.example:${unknown.port}/`, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
          [`https://receiver.example:${plain.port}/`, 'ERR_SSL'],
        ] as const) {
          const error = await failureOf(send(client, url));
          expect(error).to.include({ kind: 'tls', remoteAddress: CANARIES.public });
          expect(error.message).to.include(why);
          expectSilent(error);
        }
      },
      { resolve: toCanary },
    );
    expect([...known.hosts, ...unknown.hosts, ...plain.asked]).to.deep.equal([]);
  },
};

export const scenarios: Scenarios = { ...keepAlive, ...tls };
