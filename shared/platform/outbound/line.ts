import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import type { Connected } from './connect.js';
import { OutboundError } from './outbound-error.js';
import { Reception } from './reception.js';

/** How long a socket waits for its next request. Many servers close theirs after 5 s; those that say so are believed. */
const IDLE_MS = 10_000;
/** How old a socket may grow: a name that has moved is asked for again. */
const MAX_AGE_MS = 300_000;
const MAX_HEADER_BYTES = 16_384;

/** The socket ended before the request was written: another one may send it. */
export class LineGoneError extends Error {
  override readonly name = 'LineGoneError';
}

/** What is sent over a line; its form has been checked. */
export interface LineRequest {
  method: Dispatcher.HttpMethod;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | null;
  maxBodyBytes: number;
}

/** One connected socket and the HTTP spoken on it, one request at a time. It never connects again: what is connected to is decided elsewhere. */
export class Line {
  readonly remoteAddress: string;
  readonly #socket: Socket;
  readonly #client: Client;
  readonly #bornAt = performance.now();
  #readBefore = 0;
  #readLimit = 0;
  #isAttached = false;

  /** @param onGone told once the socket is closed */
  constructor(
    readonly origin: string,
    { socket, remoteAddress }: Connected,
    onGone: (line: Line) => void,
  ) {
    this.remoteAddress = remoteAddress;
    this.#socket = socket;
    this.#client = new Client(origin, {
      connect: (_options, callback) => {
        // undici must not be called back within its own call.
        queueMicrotask(() => {
          if (this.#isAttached) return callback(new LineGoneError('the socket is gone'), null);
          this.#isAttached = true;
          callback(null, socket);
          socket.on('readable', () => this.#boundReading());
        });
      },
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // The deadline of the request stands over both.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    socket.once('close', () => onGone(this));
  }

  /** Whether another request may be sent over it. */
  get isFit(): boolean {
    return !this.#socket.destroyed && performance.now() - this.#bornAt < MAX_AGE_MS;
  }

  /** Whether the other side has said that nothing more comes. */
  get hasEnded(): boolean {
    return this.#socket.readableEnded;
  }

  /** Whether nothing has come since the last request was sent. */
  get isSilent(): boolean {
    return this.#socket.bytesRead === this.#readBefore;
  }

  /** @throws {LineGoneError} when nothing was sent; {OutboundError}, or an error of undici or the socket */
  exchange({ maxBodyBytes, ...request }: LineRequest): Promise<Reception> {
    // A body in chunks of a byte, each in a TLS record of its own, is 32 times as long on the wire.
    this.#readBefore = this.#socket.bytesRead;
    this.#readLimit = this.#readBefore + 262_144 + 32 * maxBodyBytes;
    return new Promise((resolve, reject) => {
      this.#client.dispatch(request, new Reception(maxBodyBytes, resolve, reject));
    });
  }

  /** Ends the socket at once, whatever is under way. */
  destroy(): void {
    this.#socket.destroy();
    // It settles by itself; what was under way has been told by then.
    void this.#client.destroy();
  }

  /** undici bounds headers, Reception the body; this bounds what is neither: status lines, informational responses, chunk extensions without end. */
  #boundReading(): void {
    if (this.#socket.bytesRead <= this.#readLimit) return;
    this.#socket.destroy(new OutboundError('invalid_response', 'The answer does not come to its end.'));
  }
}
