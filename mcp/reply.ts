import type { IncomingMessage, ServerResponse } from 'node:http';
import { ErrorCode, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import { excludes } from '../shared/contracts/accept.js';
import type { Lifecycle } from '../shared/platform/lifecycle.js';
import type { Line } from './line.js';
import { headerOf } from './request-headers.js';

/** What is noted when the client went away before it was answered. */
const CLIENT_GONE = 499;
/** Who takes whatever comes has not said that it can read a stream. */
const STREAM_RANGES = ['text/event-stream'];

/** The answering side of one HTTP request: one JSON answer, or a stream that ends with it once something was said before. */
export class Reply {
  #streamOf: RequestId | undefined;

  constructor(
    private readonly lifecycle: Pick<Lifecycle, 'isClosing'>,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'no-store');
  }

  /** As it was sent; 499: the client went away before it was answered. */
  get status(): number {
    return this.response.writableEnded ? this.response.statusCode : CLIENT_GONE;
  }

  /**
   * Headers of the answer. Of an answer that ends a stream they are lost, for the head has left: what agents are told in headers (a dry run, a replay)
   * stands in the answer too.
   */
  set(headers: Readonly<Record<string, string>>): void {
    if (this.response.headersSent) return;
    for (const [name, value] of Object.entries(headers)) this.response.setHeader(name, value);
  }

  /** The way to the client before a request is answered; undefined: it takes no stream. */
  lineOf(id: RequestId): Line | undefined {
    const accept = headerOf(this.request, 'accept');
    if (!accept || excludes(accept, STREAM_RANGES)) return undefined;
    return {
      say: (message) => this.#say(id, message),
      whenOver: (act) => {
        if (this.response.destroyed) act();
        else this.response.once('close', act);
      },
    };
  }

  /** Answers; once a stream has begun its status is 200, and the body must be a message of the protocol. */
  send(status: number, body?: string): void {
    const { response } = this;
    if (response.writableEnded || response.destroyed) return;
    if (response.headersSent) return void response.end(body && eventOf(body));
    // Told with the answer: the next request would meet a closed door.
    if (this.lifecycle.isClosing) response.setHeader('Connection', 'close');
    if (body === undefined) return void response.writeHead(status).end();
    response
      .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
      .end(this.request.method === 'HEAD' ? undefined : body);
  }

  /** Refuses in the form of HTTP; when a stream has begun, as the JSON-RPC error that ends it. */
  refuse(status: number, body: { error: { message: string } }): void {
    if (this.#streamOf === undefined) {
      this.send(status, JSON.stringify(body));
      return;
    }
    const { message, ...data } = body.error;
    const error = { code: ErrorCode.InternalError, message, data };
    this.send(status, JSON.stringify({ jsonrpc: '2.0', id: this.#streamOf, error }));
  }

  #say(id: RequestId, message: JSONRPCMessage): boolean {
    const { response } = this;
    // What a client does not read would pile up here: so much as its socket's buffer takes, and no more until it has read that.
    if (response.destroyed || response.writableEnded || response.writableNeedDrain) return false;
    if (!response.headersSent) {
      this.#streamOf = id;
      if (this.lifecycle.isClosing) response.setHeader('Connection', 'close');
      // Without the second header nginx would keep it all until the end.
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    }
    response.write(eventOf(JSON.stringify(message)));
    return true;
  }
}

/** JSON has no line breaks. */
function eventOf(json: string): string {
  return `event: message\ndata: ${json}\n\n`;
}
