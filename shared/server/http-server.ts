import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { renderError } from '../http/error-response.js';
import { newId } from '../platform/ids.js';
import type { Metrics } from '../platform/metrics.js';
import type { Runtime } from '../platform/process/runtime.js';
import { closeServer } from './close-server.js';
import { ConnectionLimit } from './connection-limit.js';
import { OpenResponses } from './open-responses.js';

/**
 * The time that an idle connection stays open. It must exceed the idle timeout of a load balancer
 * in front (usually 60 s). Otherwise the server would close connections that the load balancer is
 * about to reuse.
 */
const KEEP_ALIVE_MS = 65_000;
/** A request's headers and body must arrive within this time. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * An HTTP server that listens as soon as the process starts. The process sets the final listener
 * later, with `serve`.
 */
export interface HttpServer {
  port: number;
  /**
   * Handles every later request with `listener`.
   * @param metrics count the refused connections
   */
  serve: (listener: RequestListener, metrics: Metrics) => void;
  /** Finishes the accepted requests, then closes the connections. May be called several times. */
  close: () => Promise<void>;
}

/**
 * Opens an HTTP server.
 * @param listener handles requests until {@link HttpServer.serve} is called
 */
export async function openHttpServer(
  { config, lifecycle, logger }: Pick<Runtime, 'config' | 'lifecycle' | 'logger'>,
  listener: RequestListener,
): Promise<HttpServer> {
  let currentListener = listener;
  const openResponses = new OpenResponses();
  const server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      // Accept a request without a Host header, because this service does not need the header. Node
      // would send an empty 400.
      requireHostHeader: false,
    },
    (request, response) => {
      openResponses.add(response, request.socket);
      destroyIfUnread(response, config.sendTimeoutMs);
      currentListener(request, response);
    },
  );
  openResponses.closeStalled(server, config.sendTimeoutMs);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const connections = new ConnectionLimit(config, logger);
  connections.apply(server);
  answerMalformedRequests(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: config.port, host: config.host, backlog: 1024 }, resolve);
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= closeServer(server, sockets, openResponses);
    return closed;
  };
  lifecycle.onClose('http server', close);
  return {
    port: (server.address() as AddressInfo).port,
    serve: (next, metrics) => {
      currentListener = next;
      connections.reportTo(metrics);
    },
    close,
  };
}

/**
 * Lets a server handle requests with `listener`. On shutdown, the server closes before the parts
 * that the listener depends on.
 * @param opened a server that is already open. By default, this function opens one
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
 * Destroys a response that the client has not read within `timeoutMs`. The response would otherwise
 * stay in memory indefinitely.
 */
function destroyIfUnread(response: ServerResponse, timeoutMs: number): void {
  // 'prefinish' is emitted when the response is written completely, and 'close' when the client's
  // socket has accepted all of it.
  response.once('prefinish', () => {
    const timer = setTimeout(() => response.destroy(), timeoutMs).unref();
    response.once('close', () => clearTimeout(timer));
  });
}

const PARSER_ERRORS: Record<string, [string, string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};

/**
 * Responds with a JSON error to requests that the HTTP parser rejects. Such requests never reach
 * the listener, and Node's own response is not JSON.
 */
function answerMalformedRequests(server: Server): void {
  // Ignore an unknown Expect header (RFC 9110, section 10.1.1). Node would send an empty 417.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const [status, message] = PARSER_ERRORS[error.code ?? ''] ?? [
      '400 Bad Request',
      'This is not a valid HTTP request.',
    ];
    // The request was not parsed, so a client's own X-Request-Id is unknown.
    const requestId = newId();
    const body = renderError({ code: 'validation_error', message }, requestId);
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
