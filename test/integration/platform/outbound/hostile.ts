import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { OutboundFailure } from '../../../../shared/outbound/outbound-error.js';
import { CANARY_ADDRESSES, type NamespaceScenarios } from '../../../support/network/network-namespace.js';
import { eventually } from '../../../support/poll.js';
import {
  expectNoInternals,
  expectOutboundError,
  sendOutbound,
  startCanary,
  startHttpReceiver,
  startReceiver,
  waitForClose,
  withOutboundClient,
} from '../../../support/webhooks/receivers.js';

const HEAD = 'HTTP/1.1 200 OK\r\n';
const DEADLINE_MS = 400;

/** Sends `text` again and again for as long as the client reads. */
function sendRepeatedly(socket: Socket, text: string): void {
  const bytes = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
  const writeMore = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', writeMore);
  writeMore();
}

function sendSlowly(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => {
    socket.write(text[at % text.length] ?? '');
    at += 1;
  }, 10);
  socket.once('close', () => clearInterval(timer));
}

/**
 * Asserts that a request fails with `kind` if the receiver behaves like `onSocket`, and that no
 * connection stays open.
 */
async function expectFailure(
  kind: OutboundFailure,
  onSocket: (socket: Socket) => void,
  { deadlineMs = 5000, scheme = 'http' } = {},
): Promise<void> {
  const receiver = await startReceiver(onSocket);
  await withOutboundClient(async (client) => {
    const error = await expectOutboundError(
      sendOutbound(client, receiver.url.replace('http', scheme), { deadlineMs }),
    );
    expect(error.kind, error.message).to.equal(kind);
    expect(error.remoteAddress).to.equal(
      scheme === 'http' || kind !== 'timeout' ? CANARY_ADDRESSES.public : null,
    );
    expectNoInternals(error);
    if (kind === 'timeout') expect(error.totalMs).to.be.within(deadlineMs - 5, deadlineMs + 3000);
    await waitForClose(receiver.connections[0]);
    expect(receiver.connections).to.have.length(1);
  });
}

const expectTimeout = (onRead: (socket: Socket) => void) => () =>
  expectFailure('timeout', onRead, { deadlineMs: DEADLINE_MS });
const respondWith = (text: string) => (socket: Socket) => void socket.once('data', () => socket.write(text));
const respondEndlessly = (head: string, text: string) => (socket: Socket) => {
  socket.once('data', () => {
    socket.write(head);
    sendRepeatedly(socket, text);
  });
};

/** Counts this machine's TCP connections to a port that are in the state SYN_SENT (02). */
async function countHalfOpen(port: number): Promise<number> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = (await readFile('/proc/net/tcp', 'latin1')).split('\n');
  return lines.filter((line) => new RegExp(`:${hex} 02 `).test(line)).length;
}

/**
 * Starts a server that listens but never accepts a connection. The kernel drops new connections
 * once the backlog is full.
 */
async function startNonAcceptingServer(): Promise<{ port: number; end: () => Promise<number> }> {
  const source = `const { parentPort, workerData } = require('node:worker_threads');
    const server = require('node:net').createServer().listen({ host: workerData, port: 0, backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      // Block immediately: the next event-loop tick could accept a connection.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const worker = new Worker(source, { eval: true, workerData: CANARY_ADDRESSES.public });
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  return { port, end: () => worker.terminate() };
}

/** Opens connections until one hangs. From then on, every further connection hangs too. */
async function fillBacklog(port: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  await eventually('a connection that hangs', async () => {
    sockets.push(connect(port, CANARY_ADDRESSES.public).on('error', () => undefined));
    return (await countHalfOpen(port)) > 0;
  });
  return sockets;
}

const timeouts: NamespaceScenarios = {
  'a connection that is never accepted ends at the deadline and is not left half open': async () => {
    const { port, end } = await startNonAcceptingServer();
    const fillingSockets = await fillBacklog(port);
    await withOutboundClient(async (client) => {
      const url = `http://${CANARY_ADDRESSES.public}:${port}/`;
      const deadlineMs = DEADLINE_MS;
      const sends = Array.from({ length: 4 }, () =>
        expectOutboundError(sendOutbound(client, url, { deadlineMs })),
      );
      for (const error of await Promise.all(sends)) {
        expect(error).to.include({ kind: 'timeout', remoteAddress: null });
        expect(error.message).to.include('connected to');
        expect(error.totalMs).to.be.within(deadlineMs - 5, deadlineMs + 3000);
      }
      for (const socket of fillingSockets) socket.destroy();
      await eventually('no connection is half open', async () => (await countHalfOpen(port)) === 0);
    });
    await end();
  },
  'a request whose DNS query gets no response ends at the deadline': () =>
    withOutboundClient(
      async (client) => {
        const error = await expectOutboundError(
          sendOutbound(client, 'http://slow.example:8080/', { deadlineMs: DEADLINE_MS }),
        );
        expect(error).to.include({ kind: 'timeout', remoteAddress: null });
        expect(error.totalMs).to.be.within(DEADLINE_MS - 5, DEADLINE_MS + 3000);
      },
      { resolve: () => new Promise(() => undefined) },
    ),
  'a request whose TLS handshake gets no response ends at the deadline': () =>
    expectFailure('timeout', (socket) => void socket.resume(), { deadlineMs: DEADLINE_MS, scheme: 'https' }),
  'a request that gets no response headers ends at the deadline': expectTimeout(
    (socket) => void socket.resume(),
  ),
  'a request that the receiver never reads ends at the deadline': async () => {
    const receiver = await startReceiver((socket) => socket.pause());
    await withOutboundClient(async (client) => {
      const body = Buffer.alloc(20_000_000, 'x');
      const sent = sendOutbound(client, receiver.url, { body, deadlineMs: DEADLINE_MS });
      expect((await expectOutboundError(sent)).kind).to.equal('timeout');
      await waitForClose(receiver.connections[0]);
    });
  },
  'a request whose response headers arrive byte by byte ends at the deadline': expectTimeout((socket) =>
    sendSlowly(socket, `${HEAD}x-drip: ${'y'.repeat(9999)}`),
  ),
  'a request whose response body arrives byte by byte ends at the deadline': expectTimeout((socket) => {
    respondWith(`${HEAD}content-length: 900\r\n\r\n`)(socket);
    socket.once('data', () => sendSlowly(socket, 'z'));
  }),
};

const endlessResponses: Record<string, [head: string, text: string]> = {
  'status line': ['HTTP/1.1 200 ', 'OK'],
  'series of headers': [HEAD, 'x-more: and more\r\n'],
  'single header': [`${HEAD}x-more: `, 'and more'],
  'series of informational responses': ['', 'HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n'],
  'series of chunk extensions': [`${HEAD}transfer-encoding: chunked\r\n\r\n1;`, 'name=value;'],
  'series of trailers': [`${HEAD}transfer-encoding: chunked\r\n\r\n0\r\n`, 'x-more: and more\r\n'],
};

const brokenResponses: Record<string, [OutboundFailure, (socket: Socket) => void]> = {
  'a reset before any response': [
    'reset',
    (socket) => void socket.once('data', () => socket.resetAndDestroy()),
  ],
  'a close before any response': ['reset', (socket) => void socket.once('data', () => socket.end())],
  'a close in the headers': [
    'reset',
    (socket) => void socket.once('data', () => socket.end(`${HEAD}x-a: b`)),
  ],
  'a close in a body with Content-Length': [
    'reset',
    (socket) => void socket.once('data', () => socket.end(`${HEAD}content-length: 9\r\n\r\nabc`)),
  ],
  'a close in a chunked body': [
    'reset',
    (socket) =>
      void socket.once('data', () => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nab`)),
  ],
  'a close in a body with Content-Length after Connection: close': [
    'reset',
    (socket) =>
      void socket.once('data', () => socket.end(`${HEAD}connection: close\r\ncontent-length: 9\r\n\r\nabc`)),
  ],
  'a close in a chunked body after Connection: close': [
    'reset',
    (socket) =>
      void socket.once('data', () =>
        socket.end(`${HEAD}connection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab`),
      ),
  ],
  'a reset in the body': [
    'reset',
    (socket) => {
      respondWith(`${HEAD}content-length: 9\r\n\r\nabc`)(socket);
      socket.once('data', () => setTimeout(() => socket.resetAndDestroy(), 50));
    },
  ],
  garbage: ['invalid_response', respondWith('220 mail.example ESMTP\r\n')],
  'a response before the request': [
    'invalid_response',
    (socket) => void socket.write('SSH-2.0-OpenSSH_9.2\r\n'),
  ],
  'a change of protocol': [
    'invalid_response',
    respondWith('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  ],
  'an unrequested 100 Continue': ['invalid_response', respondWith('HTTP/1.1 100 Continue\r\n\r\n')],
  'two Content-Length headers': [
    'invalid_response',
    respondWith(`${HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\nokk`),
  ],
  'Content-Length together with chunks': [
    'invalid_response',
    respondWith(`${HEAD}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
  ],
  'headers over 16 KiB': ['invalid_response', respondWith(`${HEAD}x-large: ${'y'.repeat(20_000)}\r\n\r\n`)],
};

const bodies: NamespaceScenarios = {
  'the client reads at most maxBodyBytes of an endless body and returns a truncated response': async () => {
    let acceptedBytes = 0;
    const receiver = await startReceiver((socket) => {
      respondEndlessly(`${HEAD}\r\n`, 'abcd')(socket);
      socket.once('close', () => (acceptedBytes = socket.bytesWritten));
    });
    await withOutboundClient(async (client) => {
      const response = await sendOutbound(client, receiver.url, { maxBodyBytes: 1001 });
      expect(response).to.include({ status: 200, isTruncated: true });
      expect(response.body.toString()).to.equal(`${'abcd'.repeat(250)}a`);
      await waitForClose(receiver.connections[0]);
      // The kernel's buffers accept less than 20 MB. A client that kept reading would have accepted
      // more.
      expect(acceptedBytes).to.be.lessThan(20_000_000);
    });
  },
  'the client reads a body of exactly maxBodyBytes whole and keeps the connection': async () => {
    const canary = await startCanary(CANARY_ADDRESSES.public, 0, (_request, response) =>
      response.end('x'.repeat(100)),
    );
    await withOutboundClient(async (client) => {
      for (const [maxBodyBytes, isTruncated] of [
        [100, false],
        [99, true],
        [0, true],
      ] as const) {
        const response = await sendOutbound(client, canary.url, { maxBodyBytes });
        expect(response).to.include({ isTruncated });
        expect(response.body.length).to.equal(Math.min(100, maxBodyBytes));
      }
      expect(canary.connections.length).to.equal(2);
    });
  },
  'the client does not decompress a body, so that a gzip bomb stays as small as it was sent': async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const receiver = await startHttpReceiver((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    await withOutboundClient(async (client) => {
      const response = await sendOutbound(client, receiver.url, { maxBodyBytes: 65_536 });
      expect(response.body.equals(bomb)).to.equal(true);
      expect(response.headers['content-encoding']).to.equal('gzip');
    });
  },
  'the client returns every status and repeated header unchanged': async () => {
    const receiver = await startHttpReceiver((request, response) => {
      response.writeHead(Number(request.url?.slice(1)), { 'set-cookie': ['a=1', 'b=2'], 'x-one': '1' }).end();
    });
    await withOutboundClient(async (client) => {
      for (const status of [200, 204, 304, 404, 410, 429, 500, 599]) {
        const response = await sendOutbound(client, `${receiver.url}${status}`);
        expect(response.status).to.equal(status);
        expect(response.headers).to.deep.include({ 'set-cookie': ['a=1', 'b=2'], 'x-one': '1' });
        expect(response.totalMs).to.be.at.least(response.firstByteMs);
      }
    });
  },
};

export const scenarios: NamespaceScenarios = {
  ...timeouts,
  ...Object.fromEntries(
    Object.entries(endlessResponses).map(([part, [head, text]]) => [
      `a request fails with invalid_response on an endless ${part}`,
      () => expectFailure('invalid_response', respondEndlessly(head, text)),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(brokenResponses).map(([problem, [kind, onSocket]]) => [
      `a request fails with ${kind} on ${problem}`,
      () => expectFailure(kind, onSocket),
    ]),
  ),
  ...bodies,
};
