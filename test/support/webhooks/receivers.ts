/** Servers inside the network namespace, and the guarded client that calls them. */
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

/** The rules of production, except that they allow http. */
export const OUTBOUND_TEST_RULES = { allowLoopback: false, allowHttp: true };

/** Sends a request with limits that a scenario seldom changes. */
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

/** Returns the error of a request that must fail. */
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
  /** Every connection so far. */
  connections: Socket[];
}

/** Accepts connections, and passes them to the scenario. The server ends with the process. */
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
  // Longer than any stall of the machine, so that a
  // stall does not decide which socket is used again.
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

/** An HTTP server that records its requests and responds with "ok". */
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
  // `once` would fail on a reset, which closes the connection as well.
  await eventually('the connection is closed', () => socket.destroyed, withinMs);
}

/** Asserts that a tenant's error message contains neither an address nor an internal setting. */
export function expectNoInternals({ message }: OutboundError): void {
  expect(message).to.not.match(/\d+\.\d+\.\d+\.\d+|::|UND_ERR|EHOST|undici|loopback/);
}
