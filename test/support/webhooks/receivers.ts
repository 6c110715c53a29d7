/**
 * Starts servers inside the tests' network namespace (network-namespace.ts), and calls them through
 * the guarded outbound client.
 */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import {
  createOutboundClient,
  type OutboundClient,
  type OutboundRequest,
  type OutboundResponse,
} from '../../../shared/outbound/client.js';
import { OutboundError } from '../../../shared/outbound/outbound-error.js';
import { CANARY_ADDRESSES } from '../network/network-namespace.js';
import { eventually } from '../poll.js';

/** The outbound client's rules in production, except that they also allow `http:`. */
export const OUTBOUND_TEST_RULES = { allowLoopback: false, allowHttp: true };

/** Sends a request with default limits, unless `more` sets others. */
export function sendOutbound(
  client: OutboundClient,
  url: string,
  more: Partial<OutboundRequest> = {},
): Promise<OutboundResponse> {
  return client.send({
    method: 'POST',
    headers: {},
    body: '{}',
    deadlineMs: 5000,
    maxBodyBytes: 1024,
    ...more,
    url,
  });
}

/** Waits for a request that must fail, and returns its error. */
export async function expectOutboundError(response: Promise<OutboundResponse>): Promise<OutboundError> {
  const outcome = await response.then(
    ({ status }) => new Error(`it got the response ${status}`),
    (error: Error) => error,
  );
  if (!(outcome instanceof OutboundError)) throw outcome;
  return outcome;
}

export async function withOutboundClient(
  run: (client: OutboundClient) => Promise<void>,
  options: Partial<Parameters<typeof createOutboundClient>[0]> = {},
): Promise<void> {
  const client = createOutboundClient({ ...OUTBOUND_TEST_RULES, ...options });
  await run(client);
  await client.close();
}

export interface NamespaceReceiver {
  url: string;
  port: number;
  /** All connections that the receiver has accepted so far. */
  connections: Socket[];
}

/**
 * Starts a TCP server that passes each connection to `onSocket`. The server ends with the process.
 */
export async function startReceiver(
  onSocket: (socket: Socket) => void,
  { address = CANARY_ADDRESSES.public, port = 0 }: { address?: string; port?: number } = {},
): Promise<NamespaceReceiver> {
  return listen(createServer(onSocket), address, port);
}

export async function startHttpReceiver(
  onRequest: RequestListener,
  { address = CANARY_ADDRESSES.public, port = 0 }: { address?: string; port?: number } = {},
): Promise<NamespaceReceiver> {
  const server = createHttpServer(onRequest);
  // Keep idle connections open for longer than any stall of the machine. Otherwise a stall could
  // close a connection that the client should use again.
  server.keepAliveTimeout = 60_000;
  return listen(server, address, port);
}

async function listen(server: Server, address: string, port: number): Promise<NamespaceReceiver> {
  const connections: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    connections.push(socket);
    socket.on('error', () => undefined);
  });
  server.listen(port, address);
  await once(server, 'listening');
  server.unref();
  const bound = (server.address() as AddressInfo).port;
  const host = address.includes(':') ? `[${address}]` : address;
  return { url: `http://${host}:${bound}/`, port: bound, connections };
}

export interface CanaryRequest {
  host: string | undefined;
  path: string | undefined;
  body: string;
  headers: IncomingMessage['headers'];
}

/** Starts an HTTP server that records its requests, and responds with "ok" by default. */
export async function startCanary(
  address: string,
  port = 0,
  respond: RequestListener = (_request, response) => response.end('ok'),
): Promise<NamespaceReceiver & { requests: CanaryRequest[] }> {
  const requests: CanaryRequest[] = [];
  const receiver = await startHttpReceiver(
    async (request, response) => {
      const body = (await request.toArray()).join('');
      requests.push({ host: request.headers.host, path: request.url, body, headers: request.headers });
      respond(request, response);
    },
    { address, port },
  );
  return { ...receiver, requests };
}

export async function waitForClose(socket: Socket | undefined, withinMs?: number): Promise<void> {
  if (!socket) throw new Error('there is no connection');
  socket.resume();
  // Poll, because waiting with `once` would fail if the connection is reset. A reset also counts as
  // closed.
  await eventually('the connection is closed', () => socket.destroyed, withinMs);
}

/**
 * Asserts that an error message contains neither an address nor an internal name, because tenants
 * read it.
 */
export function expectNoInternals({ message }: OutboundError): void {
  expect(message).to.not.match(/\d+\.\d+\.\d+\.\d+|::|UND_ERR|EHOST|undici|loopback/);
}
