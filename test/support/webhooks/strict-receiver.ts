import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Json } from '../client.js';
import { eventually } from '../poll.js';
import { findRequestProblems, type SigningKeys } from './strict-verdict.js';

export interface ReceivedRequest {
  /** The time when the body was complete, in ms since 1970. */
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  /** The header names and values, alternating, as they were sent. */
  rawHeaders: string[];
  body: Buffer;
  /** The value of the header `webhook-id`. */
  id: string;
  /** The parsed body; undefined if the body is no JSON. */
  event: Json;
  /**
   * 1 for the first request with this `webhook-id` at this endpoint, 2 for the second, and so on.
   */
  nth: number;
  /**
   * The ways in which the request violates the standard (strict-verdict.ts) or contradicts an
   * earlier request.
   */
  problems: string[];
  /** Bytes of the response's body that have been written so far. */
  written: number;
  /** True once the response is complete or the connection is closed. */
  isOver: boolean;
}

export type ReceiverBehavior =
  | {
      status?: number;
      headers?: Record<string, string>;
      body?: string | Buffer;
      /** The time to wait before sending the head of the response. */
      delayMs?: number;
    }
  | { redirect: string; status?: number }
  /** Never responds. */
  | 'hang'
  /** Resets the connection (RST). */
  | 'reset'
  /** Sends a byte of the body every 100 ms, without end. */
  | 'drip'
  /** Sends a header every 100 ms, without end, so that even the head stays incomplete. */
  | 'drip-head'
  /** Sends a body without end, as fast as the client reads it. */
  | 'endless'
  /** Sends 16 MiB of zeros, compressed a thousandfold. */
  | 'gzip-bomb';

export type Responder = (
  request: ReceivedRequest,
  nth: number,
) => ReceiverBehavior | Promise<ReceiverBehavior>;

export interface StrictEndpointOptions {
  secret?: string;
  secrets?: string[];
  publicKeys?: string[];
  respond?: Responder;
}

const DRIP_MS = 100;
/**
 * Two attempts that arrive further apart than this were signed in different seconds. Their
 * `webhook-timestamp` must therefore differ.
 */
const RENEWED_AFTER_MS = 2000;

/**
 * One endpoint of a {@link StrictReceiver}, with its own path. A test may change the endpoint's
 * keys and behavior at any time.
 */
export class StrictEndpoint implements SigningKeys {
  secrets: string[];
  publicKeys: string[];
  tolerated: string[] = [];
  respond: Responder;
  readonly requests: ReceivedRequest[] = [];
  readonly #byId = new Map<string, ReceivedRequest[]>();
  /** The problems of all requests. Each begins with the request's `webhook-id` and number. */
  readonly problems: string[] = [];
  inFlight = 0;
  maxInFlight = 0;
  /** The number of requests that the sender aborted before their body was complete. */
  aborted = 0;

  constructor(
    readonly url: string,
    {
      secret,
      secrets = secret ? [secret] : [],
      publicKeys = [],
      respond = () => ({}),
    }: StrictEndpointOptions,
  ) {
    this.secrets = secrets;
    this.publicKeys = publicKeys;
    this.respond = respond;
  }

  /** The times when the requests arrived, in ms since 1970. */
  get arrivals(): number[] {
    return this.requests.map(({ at }) => at);
  }

  /** Each `webhook-id` once, in the order of first arrival. */
  get ids(): string[] {
    return [...this.#byId.keys()];
  }

  requestsOf(id: string): readonly ReceivedRequest[] {
    return this.#byId.get(id) ?? [];
  }

  recordRequest(request: ReceivedRequest): void {
    const { id, nth, problems } = request;
    this.requests.push(request);
    this.#byId.set(id, [...this.requestsOf(id), request]);
    this.problems.push(...problems.map((problem) => `${id} (${nth}): ${problem}`));
  }

  waitFor(count: number, timeoutMs?: number): Promise<ReceivedRequest[]> {
    return eventually(
      `${count} requests to ${this.url}`,
      () => this.requests.length >= count && this.requests,
      timeoutMs,
    );
  }
}

/**
 * Receives webhooks on loopback at any number of endpoints, and checks every request against the
 * standard (strict-verdict.ts). A test can make an endpoint misbehave. Requests with the same
 * `webhook-id` must have the same body at all endpoints.
 */
export class StrictReceiver {
  readonly endpoints: StrictEndpoint[] = [];
  connections = 0;
  readonly #strays: string[] = [];
  /** The body of the first request with each `webhook-id`. */
  readonly #bodies = new Map<string, Buffer>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #port = 0;

  private constructor() {
    // Never close an idle connection, because the sender could be sending the next request at that
    // moment. The sender closes its connections itself.
    this.#server.keepAliveTimeout = 0;
    this.#server.requestTimeout = 0;
    this.#server.on('connection', (socket) => {
      this.connections += 1;
      socket.on('error', () => undefined);
    });
  }

  /** Starts a receiver with one endpoint, which {@link endpoint} returns. */
  static async start(options: StrictEndpointOptions = {}): Promise<StrictReceiver> {
    const receiver = new StrictReceiver();
    await receiver.listenAgain();
    receiver.add(options);
    return receiver;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The endpoint that the receiver was started with. */
  get endpoint(): StrictEndpoint {
    return this.endpoints[0] as StrictEndpoint;
  }

  /** Adds an endpoint at `/e/<n>`. */
  add(options: StrictEndpointOptions = {}): StrictEndpoint {
    const endpoint = new StrictEndpoint(`${this.origin}/e/${this.endpoints.length}`, options);
    this.endpoints.push(endpoint);
    return endpoint;
  }

  /**
   * All problems: those of the endpoints, requests to a path without an endpoint (for example
   * followed redirects), and errors in a test's own `respond`.
   */
  get problems(): string[] {
    return [...this.#strays, ...this.endpoints.flatMap(({ problems }) => problems)];
  }

  /** Closes every connection, and refuses new ones until {@link listenAgain}. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  /** Listens on a free port, or after {@link stop} on the same port again. */
  async listenAgain(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, index = 'none'] = /^\/e\/(\d+)$/.exec(message.url ?? '') ?? [];
    const endpoint = this.endpoints[Number(index)];
    if (!endpoint) {
      this.#strays.push(`${message.method} ${message.url} is for no endpoint`);
      response.writeHead(404).end();
      return;
    }
    endpoint.inFlight += 1;
    endpoint.maxInFlight = Math.max(endpoint.maxInFlight, endpoint.inFlight);
    let received: ReceivedRequest | undefined;
    response.once('close', () => {
      endpoint.inFlight -= 1;
      if (received) received.isOver = true;
      else endpoint.aborted += 1;
    });
    const body = await readAll(message);
    if (!body) return;
    received = this.#record(endpoint, message, body);
    try {
      await sendResponse(await endpoint.respond(received, received.nth), received, response);
    } catch (error) {
      this.#strays.push(`the test's own respond failed: ${error}`);
      response.destroy();
    }
  }

  #record(endpoint: StrictEndpoint, message: IncomingMessage, body: Buffer): ReceivedRequest {
    const { headers, rawHeaders, url: path = '', method = '' } = message;
    const at = Date.now();
    const id = String(headers['webhook-id']);
    const earlier = endpoint.requestsOf(id);
    const problems = findRequestProblems({ at, method, rawHeaders, body }, endpoint);
    const first = this.#bodies.get(id) ?? body;
    this.#bodies.set(id, first);
    if (!first.equals(body)) problems.push('the body is not the one that this id came with before');
    const stale = earlier.find(
      (one) =>
        at - one.at > RENEWED_AFTER_MS && one.headers['webhook-timestamp'] === headers['webhook-timestamp'],
    );
    if (stale) problems.push('webhook-timestamp is that of an earlier attempt');
    const event = parse(body);
    const nth = earlier.length + 1;
    const request: ReceivedRequest = {
      at,
      path,
      headers,
      rawHeaders,
      body,
      id,
      event,
      nth,
      problems,
      written: 0,
      isOver: false,
    };
    endpoint.recordRequest(request);
    return request;
  }
}

/** Returns the whole body; undefined if the sender aborts the request. */
async function readAll(message: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of message) chunks.push(chunk);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

let bomb: Buffer | undefined;

async function sendResponse(
  reply: ReceiverBehavior,
  request: ReceivedRequest,
  response: ServerResponse,
): Promise<void> {
  const write = (chunk: string | Buffer): boolean => {
    request.written += chunk.length;
    return response.write(chunk);
  };
  if (reply === 'hang') return;
  if (reply === 'reset') {
    response.socket?.resetAndDestroy();
  } else if (reply === 'drip') {
    response.writeHead(200);
    repeatUntilClosed(response, () => write('.'));
  } else if (reply === 'drip-head') {
    response.socket?.write('HTTP/1.1 200 OK\r\n');
    repeatUntilClosed(response, () => response.socket?.write('x-drip: .\r\n'));
  } else if (reply === 'endless') {
    response.writeHead(200);
    const chunk = Buffer.alloc(64 * 1024, '.');
    const fill = () => {
      while (!response.destroyed && write(chunk));
    };
    response.on('drain', fill);
    fill();
  } else if (reply === 'gzip-bomb') {
    bomb ??= gzipSync(Buffer.alloc(16 * 1024 * 1024));
    response.writeHead(200, { 'content-encoding': 'gzip' });
    write(bomb);
    response.end();
  } else if ('redirect' in reply) {
    response.writeHead(reply.status ?? 302, { location: reply.redirect }).end();
  } else {
    // Call `unref`, so that a pending delay does not keep the process alive after the tests.
    if (reply.delayMs) await new Promise((resolve) => setTimeout(resolve, reply.delayMs).unref());
    response.writeHead(reply.status ?? 200, reply.headers);
    if (reply.body) write(reply.body);
    response.end();
  }
}

/** Repeats the action until the response is closed. */
function repeatUntilClosed(response: ServerResponse, act: () => void): void {
  const timer = setInterval(act, DRIP_MS);
  response.once('close', () => clearInterval(timer));
}
