import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { OutboundFailure } from '../../../shared/platform/outbound/outbound-error.js';
import { CANARIES, type Scenarios } from '../../support/network-namespace.js';
import { eventually } from '../../support/poll.js';
import {
  closed,
  expectSilent,
  failureOf,
  send,
  startCanary,
  startHttpReceiver,
  startReceiver,
  withClient,
} from '../../support/receivers.js';

const HEAD = 'HTTP/1.1 200 OK\r\n';
const DEADLINE_MS = 400;

/** Sends the same bytes over and over while the other side takes them. */
function pour(socket: Socket, text: string): void {
  const bytes = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

/** Sends the text a byte at a time, for ever. */
function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => {
    socket.write(text[at % text.length] ?? '');
    at += 1;
  }, 10);
  socket.once('close', () => clearInterval(timer));
}

/** A request to a receiver that does this with a connection fails in this way, and leaves no connection open. */
async function expectFailure(
  kind: OutboundFailure,
  onSocket: (socket: Socket) => void,
  { deadlineMs = 5000, scheme = 'http' } = {},
): Promise<void> {
  const receiver = await startReceiver(onSocket);
  await withClient(async (client) => {
    const error = await failureOf(send(client, receiver.url.replace('http', scheme), { deadlineMs }));
    expect(error.kind, error.message).to.equal(kind);
    expect(error.remoteAddress).to.equal(scheme === 'http' || kind !== 'timeout' ? CANARIES.public : null);
    expectSilent(error);
    if (kind === 'timeout') expect(error.totalMs).to.be.within(deadlineMs - 5, deadlineMs + 3000);
    await closed(receiver.connections[0]);
    expect(receiver.connections).to.have.length(1);
  });
}

const never = (onRead: (socket: Socket) => void) => () =>
  expectFailure('timeout', onRead, { deadlineMs: DEADLINE_MS });
const answering = (text: string) => (socket: Socket) => void socket.once('data', () => socket.write(text));
const endlessly = (head: string, text: string) => (socket: Socket) => {
  socket.once('data', () => {
    socket.write(head);
    pour(socket, text);
  });
};

/** TCP connections of this machine to a port that are half made. */
async function halfMade(port: number): Promise<number> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = (await readFile('/proc/net/tcp', 'latin1')).split('\n');
  return lines.filter((line) => new RegExp(`:${hex} 02 `).test(line)).length;
}

/** A server that listens and never accepts: once its backlog is full the kernel drops who comes. */
async function startDeaf(): Promise<{ port: number; end: () => Promise<number> }> {
  const source = `const { parentPort, workerData } = require('node:worker_threads');
    const server = require('node:net').createServer().listen({ host: workerData, port: 0, backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      // At once: one more turn of its event loop could accept what is connected by then.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const worker = new Worker(source, { eval: true, workerData: CANARIES.public });
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  return { port, end: () => worker.terminate() };
}

/** Connects until a connection hangs: from then on each does, however long the machine takes. */
async function fillBacklog(port: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  await eventually('a connection that hangs', async () => {
    sockets.push(connect(port, CANARIES.public).on('error', () => undefined));
    return (await halfMade(port)) > 0;
  });
  return sockets;
}

const timeouts: Scenarios = {
  'ends a connection that is never made at the deadline, and leaves nothing half made': async () => {
    const { port, end } = await startDeaf();
    const fillers = await fillBacklog(port);
    await withClient(async (client) => {
      const url = `http://${CANARIES.public}:${port}/`;
      const deadlineMs = DEADLINE_MS;
      const sends = Array.from({ length: 4 }, () => failureOf(send(client, url, { deadlineMs })));
      for (const error of await Promise.all(sends)) {
        expect(error).to.include({ kind: 'timeout', remoteAddress: null });
        expect(error.message).to.include('connected to');
        expect(error.totalMs).to.be.within(deadlineMs - 5, deadlineMs + 3000);
      }
      for (const socket of fillers) socket.destroy();
      await eventually('none is left', async () => (await halfMade(port)) === 0);
    });
    await end();
  },
  'ends a name server that never answers at the deadline': () =>
    withClient(
      async (client) => {
        const error = await failureOf(send(client, 'http://slow.example:8080/', { deadlineMs: DEADLINE_MS }));
        expect(error).to.include({ kind: 'timeout', remoteAddress: null });
        expect(error.totalMs).to.be.within(DEADLINE_MS - 5, DEADLINE_MS + 3000);
      },
      { resolve: () => new Promise(() => undefined) },
    ),
  'ends a TLS handshake that is never answered at the deadline': () =>
    expectFailure('timeout', (socket) => void socket.resume(), { deadlineMs: DEADLINE_MS, scheme: 'https' }),
  'ends headers that never come at the deadline': never((socket) => void socket.resume()),
  'ends a request that is never read at the deadline': async () => {
    const receiver = await startReceiver((socket) => socket.pause());
    await withClient(async (client) => {
      const body = Buffer.alloc(20_000_000, 'x');
      const sent = send(client, receiver.url, { body, deadlineMs: DEADLINE_MS });
      expect((await failureOf(sent)).kind).to.equal('timeout');
      await closed(receiver.connections[0]);
    });
  },
  'ends headers that drip at the deadline': never((socket) =>
    drip(socket, `${HEAD}x-drip: ${'y'.repeat(9999)}`),
  ),
  'ends a body that drips at the deadline': never((socket) => {
    answering(`${HEAD}content-length: 900\r\n\r\n`)(socket);
    socket.once('data', () => drip(socket, 'z'));
  }),
};

const endless: Record<string, [head: string, text: string]> = {
  'status line': ['HTTP/1.1 200 ', 'OK'],
  headers: [HEAD, 'x-more: and more\r\n'],
  'only header': [`${HEAD}x-more: `, 'and more'],
  'informational responses': ['', 'HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n'],
  'chunk extensions': [`${HEAD}transfer-encoding: chunked\r\n\r\n1;`, 'name=value;'],
  trailers: [`${HEAD}transfer-encoding: chunked\r\n\r\n0\r\n`, 'x-more: and more\r\n'],
};

const broken: Record<string, [OutboundFailure, (socket: Socket) => void]> = {
  'a reset before any answer': [
    'reset',
    (socket) => void socket.once('data', () => socket.resetAndDestroy()),
  ],
  'an end before any answer': ['reset', (socket) => void socket.once('data', () => socket.end())],
  'an end in the headers': ['reset', (socket) => void socket.once('data', () => socket.end(`${HEAD}x-a: b`))],
  'an end in a body of known length': [
    'reset',
    (socket) => void socket.once('data', () => socket.end(`${HEAD}content-length: 9\r\n\r\nabc`)),
  ],
  'an end in a chunked body': [
    'reset',
    (socket) =>
      void socket.once('data', () => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nab`)),
  ],
  'an end in a body that was the last on its connection': [
    'reset',
    (socket) =>
      void socket.once('data', () => socket.end(`${HEAD}connection: close\r\ncontent-length: 9\r\n\r\nabc`)),
  ],
  'an end in a last body in chunks': [
    'reset',
    (socket) =>
      void socket.once('data', () =>
        socket.end(`${HEAD}connection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab`),
      ),
  ],
  'a reset in the body': [
    'reset',
    (socket) => {
      answering(`${HEAD}content-length: 9\r\n\r\nabc`)(socket);
      socket.once('data', () => setTimeout(() => socket.resetAndDestroy(), 50));
    },
  ],
  garbage: ['invalid_response', answering('220 mail.example ESMTP\r\n')],
  'an answer before the request': [
    'invalid_response',
    (socket) => void socket.write('SSH-2.0-OpenSSH_9.2\r\n'),
  ],
  'a change of protocol': [
    'invalid_response',
    answering('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  ],
  'a go-ahead nobody asked for': ['invalid_response', answering('HTTP/1.1 100 Continue\r\n\r\n')],
  'two lengths': ['invalid_response', answering(`${HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\nokk`)],
  'a length and chunks': [
    'invalid_response',
    answering(`${HEAD}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
  ],
  'headers over 16 KiB': ['invalid_response', answering(`${HEAD}x-large: ${'y'.repeat(20_000)}\r\n\r\n`)],
};

const bodies: Scenarios = {
  'reads no more than it was asked to of a body without end, and that is an answer': async () => {
    let taken = 0;
    const receiver = await startReceiver((socket) => {
      endlessly(`${HEAD}\r\n`, 'abcd')(socket);
      socket.once('close', () => (taken = socket.bytesWritten));
    });
    await withClient(async (client) => {
      const answer = await send(client, receiver.url, { maxBodyBytes: 1001 });
      expect(answer).to.include({ status: 200, isTruncated: true });
      expect(answer.body.toString()).to.equal(`${'abcd'.repeat(250)}a`);
      await closed(receiver.connections[0]);
      // What the kernel's buffers took, not what the receiver would have sent.
      expect(taken).to.be.lessThan(20_000_000);
    });
  },
  'takes a body of exactly the size whole, and keeps the connection': async () => {
    const canary = await startCanary(CANARIES.public, 0, (_request, response) =>
      response.end('x'.repeat(100)),
    );
    await withClient(async (client) => {
      for (const [maxBodyBytes, isTruncated] of [
        [100, false],
        [99, true],
        [0, true],
      ] as const) {
        const answer = await send(client, canary.url, { maxBodyBytes });
        expect(answer).to.include({ isTruncated });
        expect(answer.body.length).to.equal(Math.min(100, maxBodyBytes));
      }
      expect(canary.connections.length).to.equal(2);
    });
  },
  'does not unpack a body: a gzip bomb is as small as it was sent': async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const receiver = await startHttpReceiver((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    await withClient(async (client) => {
      const answer = await send(client, receiver.url, { maxBodyBytes: 65_536 });
      expect(answer.body.equals(bomb)).to.equal(true);
      expect(answer.headers['content-encoding']).to.equal('gzip');
    });
  },
  'gives every status and repeated header as it came': async () => {
    const receiver = await startHttpReceiver((request, response) => {
      response.writeHead(Number(request.url?.slice(1)), { 'set-cookie': ['a=1', 'b=2'], 'x-one': '1' }).end();
    });
    await withClient(async (client) => {
      for (const status of [200, 204, 304, 404, 410, 429, 500, 599]) {
        const answer = await send(client, `${receiver.url}${status}`);
        expect(answer.status).to.equal(status);
        expect(answer.headers).to.deep.include({ 'set-cookie': ['a=1', 'b=2'], 'x-one': '1' });
        expect(answer.totalMs).to.be.at.least(answer.firstByteMs);
      }
    });
  },
};

export const scenarios: Scenarios = {
  ...timeouts,
  ...Object.fromEntries(
    Object.entries(endless).map(([what, [head, text]]) => [
      `gives up on an answer without an end to its ${what}`,
      () => expectFailure('invalid_response', endlessly(head, text)),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(broken).map(([what, [kind, onSocket]]) => [
      `says ${kind} of ${what}`,
      () => expectFailure(kind, onSocket),
    ]),
  ),
  ...bodies,
};
