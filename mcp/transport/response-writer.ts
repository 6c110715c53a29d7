import type { IncomingMessage, ServerResponse } from 'node:http';
import { ErrorCode, type RequestId, type ServerNotification } from '@modelcontextprotocol/sdk/types.js';
import { excludesMediaType } from '../../shared/http/accept-header.js';
import { renderError } from '../../shared/http/error-response.js';
import { readHeader } from '../../shared/http/request.js';
import type { AppError } from '../../shared/platform/errors.js';
import type { Lifecycle } from '../../shared/platform/lifecycle.js';
import type { Caller } from '../context/caller.js';

/** The status in the log if the client disconnected before the response was sent. */
const CLIENT_DISCONNECTED_STATUS = 499;
/**
 * The media ranges that accept an event stream. There is no wildcard here, because a client that
 * accepts everything may still not understand event streams.
 */
const STREAM_RANGES = ['text/event-stream'];

/** Writes the response: JSON, or an event stream that ends with the result. */
export class ResponseWriter {
  #streamRequestId: RequestId | undefined;

  constructor(
    private readonly lifecycle: Pick<Lifecycle, 'isClosing'>,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    response.setHeader('Cache-Control', 'no-store');
  }

  /** The status of the response, or 499 if the client disconnected first. */
  get status(): number {
    return this.response.writableEnded ? this.response.statusCode : CLIENT_DISCONNECTED_STATUS;
  }

  /**
   * Sets headers of the response. Does nothing once a stream has started, because the headers have
   * then been sent. A tool's result therefore also marks dry runs and replays, in case these
   * headers are missing.
   */
  setHeaders(headers: Readonly<Record<string, string>>): void {
    if (this.response.headersSent) return;
    for (const [name, value] of Object.entries(headers)) this.response.setHeader(name, value);
  }

  /**
   * Returns a function that sends notifications to the client, or undefined if the client accepts
   * no event stream.
   */
  createNotifier(id: RequestId): Caller['notify'] {
    const accept = readHeader(this.request, 'accept');
    if (!accept || excludesMediaType(accept, STREAM_RANGES)) return undefined;
    return (notification) => this.#notify(id, notification);
  }

  /**
   * Sends the response. If a stream has started, ends it with `body`, which must be an MCP message.
   * `status` is then ignored, because the status 200 has already been sent.
   */
  send(status: number, body?: string): void {
    const { response } = this;
    if (response.writableEnded || response.destroyed) return;
    if (response.headersSent) return void response.end(body && formatEvent(body));
    // During shutdown, tell the client to close this connection, because the server accepts no
    // further request on it.
    if (this.lifecycle.isClosing) response.setHeader('Connection', 'close');
    if (body === undefined) return void response.writeHead(status).end();
    response
      .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
      .end(this.request.method === 'HEAD' ? undefined : body);
  }

  /**
   * Sends an error as an HTTP response or, if a stream has started, as a JSON-RPC error that ends
   * the stream.
   */
  sendError(error: AppError, requestId: string): void {
    this.setHeaders(error.headers);
    if (this.#streamRequestId === undefined) {
      this.send(error.status, renderError(error.toBody(), requestId));
      return;
    }
    const { message, ...data } = error.toBody();
    const rpcError = { code: ErrorCode.InternalError, message, data: { ...data, requestId } };
    this.send(error.status, JSON.stringify({ jsonrpc: '2.0', id: this.#streamRequestId, error: rpcError }));
  }

  #notify(id: RequestId, notification: ServerNotification): void {
    const { response } = this;
    // Drop the notification if the client does not read. Unread data would fill the memory.
    if (response.destroyed || response.writableEnded || response.writableNeedDrain) return;
    if (!response.headersSent) {
      this.#streamRequestId = id;
      if (this.lifecycle.isClosing) response.setHeader('Connection', 'close');
      // Without the header X-Accel-Buffering, nginx would hold back the stream until it ends.
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    }
    response.write(formatEvent(JSON.stringify({ jsonrpc: '2.0', ...notification })));
  }
}

/**
 * Formats a server-sent event. One `data:` line is enough, because JSON.stringify writes no line
 * breaks.
 */
function formatEvent(json: string): string {
  return `event: message\ndata: ${json}\n\n`;
}
