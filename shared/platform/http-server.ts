import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConnectionLimit } from './connection-limit.js';
import { newId } from './ids.js';
import type { Metrics } from './metrics.js';
import { OpenAnswers } from './open-answers.js';
import type { Runtime } from './runtime.js';

/** A keep-alive connection must outlive the idle time of a load balancer in front (60 s is usual), or requests are cut. */
const KEEP_ALIVE_MS = 65_000;
/** A whole request, headers and body, must be here within this time. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * A server that listens from the first moment of a process on, and is given its real answers later.
 */
export interface HttpServer {
  port: number;
  /** Answers every request from now on. @param metrics get what the server counts */
  serve: (listener: RequestListener, metrics: Metrics) => void;
  /**
   * Stops accepting, answers what was accepted, then lets the connections go. Safe to call again.
   */
  close: () => Promise<void>;
}

/** Opens HOST and PORT. @param listener answers until {@link HttpServer.serve} is called */
export async function openHttpServer(
  { config, lifecycle, logger }: Pick<Runtime, 'config' | 'lifecycle' | 'logger'>,
  listener: RequestListener,
): Promise<HttpServer> {
  let answer = listener;
  const answers = new OpenAnswers();
  const server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      // Node would answer a request without Host by itself, with an empty 400; nothing here needs it.
      requireHostHeader: false,
    },
    (request, response) => {
      answers.add(response, request.socket);
      closeUnread(response, config.sendTimeoutMs);
      answer(request, response);
    },
  );
  answers.closeStalled(server, config.sendTimeoutMs);
  const connections = new ConnectionLimit(config, logger);
  connections.apply(server);
  answerMalformedRequests(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: config.port, host: config.host, backlog: 1024 }, resolve);
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= closeServer(server);
    return closed;
  };
  lifecycle.onClose('http server', close);
  return {
    port: (server.address() as AddressInfo).port,
    serve: (next, metrics) => {
      answer = next;
      connections.countIn(metrics);
    },
    close,
  };
}

/**
 * Lets the HTTP server of a process answer with `listener`, and closes it before everything that
 * the listener stands on.
 * @param opened default: one that is opened now
 */
export async function listenHttp(
  parts: Pick<Runtime, 'config' | 'lifecycle' | 'logger' | 'metrics'>,
  listener: RequestListener,
  opened?: HttpServer,
): Promise<{ port: number }> {
  const server = opened ?? (await openHttpServer(parts, listener));
  server.serve(listener, parts.metrics);
  parts.lifecycle.onClose('http server', server.close);
  return { port: server.port };
}

/**
 * Closes the connection of a client that does not read its whole answer in time: it would be held
 * in memory for ever.
 */
function closeUnread(response: ServerResponse, timeoutMs: number): void {
  // Node emits it when the answer has been written in full, and 'close' when the client's socket
  // has taken it.
  response.once('prefinish', () => {
    const timer = setTimeout(() => response.destroy(), timeoutMs).unref();
    response.once('close', () => clearTimeout(timer));
  });
}

const REFUSALS: Record<string, [string, string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};

/** What the HTTP parser refuses never reaches Koa; it is told in the envelope all the same, never as a bare page. */
function answerMalformedRequests(server: Server): void {
  // An unknown Expect is ignored, as RFC 9110 (10.1.1) allows, instead of an empty 417.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const [status, message] = REFUSALS[error.code ?? ''] ?? [
      '400 Bad Request',
      'This is not a valid HTTP request.',
    ];
    // Its own X-Request-Id, if it sent one, was lost with the request.
    const requestId = newId();
    const body = JSON.stringify({ ok: false, error: { code: 'validation_error', message, requestId } });
    const head = [
      `HTTP/1.1 ${status}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}

/** A moment in which requests already on the wire are still accepted, so that none meets a closed door. */
const DRAIN_GRACE_MS = 200;

async function closeServer(server: Server): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, DRAIN_GRACE_MS));
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Idle connections would keep the server open until their timeout; busy ones end with their answer.
  const timer = setInterval(() => server.closeIdleConnections(), 50);
  await closed.finally(() => clearInterval(timer));
}
