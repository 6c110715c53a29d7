import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import type { ConnectedSocket } from './connect.js';
import { OutboundError } from './outbound-error.js';
import { ResponseCollector } from './response-collector.js';

/**
 * The time that an idle socket is kept for the next request. A shorter Keep-Alive timeout of the
 * server takes precedence.
 */
const IDLE_MS = 10_000;
/**
 * The maximum age of a reused socket. An older socket is replaced by a new one, for which the
 * client looks the host name up again.
 */
const MAX_AGE_MS = 300_000;
const MAX_HEADER_BYTES = 16_384;

/**
 * Thrown if the socket closed before any byte of the request was sent. The request may use another
 * socket.
 */
export class ConnectionClosedError extends Error {
  override readonly name = 'ConnectionClosedError';
}

/** A request whose URL and headers the caller has already checked. */
export interface ConnectionRequest {
  method: Dispatcher.HttpMethod;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | null;
  maxBodyBytes: number;
}

/**
 * Sends requests over one socket, one after another. Never reconnects, because a new socket must
 * come from `connectTo`, which checks the address.
 */
export class PinnedConnection {
  readonly remoteAddress: string;
  readonly #socket: Socket;
  readonly #client: Client;
  readonly #createdAt = performance.now();
  #bytesReadBefore = 0;
  #maxBytesRead = 0;
  #isAttached = false;

  /** @param onGone called when the socket is closed */
  constructor(
    readonly origin: string,
    { socket, remoteAddress }: ConnectedSocket,
    onGone: (connection: PinnedConnection) => void,
  ) {
    this.remoteAddress = remoteAddress;
    this.#socket = socket;
    this.#client = new Client(origin, {
      connect: (_options, callback) => {
        // undici requires that `callback` runs after this function has returned.
        queueMicrotask(() => {
          if (this.#isAttached) return callback(new ConnectionClosedError('the socket is closed'), null);
          this.#isAttached = true;
          callback(null, socket);
          socket.on('readable', () => this.#enforceReadLimit());
        });
      },
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // 0 turns undici's timeouts off. The request's own deadline covers headers and body.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    socket.once('close', () => onGone(this));
  }

  get isReusable(): boolean {
    return !this.#socket.destroyed && performance.now() - this.#createdAt < MAX_AGE_MS;
  }

  get hasEnded(): boolean {
    return this.#socket.readableEnded;
  }

  get hasReceivedNothing(): boolean {
    return this.#socket.bytesRead === this.#bytesReadBefore;
  }

  /**
   * @throws {ConnectionClosedError} if the socket closed before any byte of the request was sent
   * @throws {OutboundError} if the response is endless
   * @throws {Error} an error from undici or the socket in all other cases
   */
  sendRequest({ maxBodyBytes, ...request }: ConnectionRequest): Promise<ResponseCollector> {
    // Allow up to 32 bytes on the wire per byte of the body. A server may send each byte as a chunk
    // in its own TLS record. The 262,144 bytes leave room for headers.
    this.#bytesReadBefore = this.#socket.bytesRead;
    this.#maxBytesRead = this.#bytesReadBefore + 262_144 + 32 * maxBodyBytes;
    return new Promise((resolve, reject) => {
      this.#client.dispatch(request, new ResponseCollector(maxBodyBytes, resolve, reject));
    });
  }

  /** Closes the socket immediately, even during a request. */
  destroy(): void {
    this.#socket.destroy();
    // undici passes the error of a running request to the request's handler, so this promise needs
    // no handling.
    void this.#client.destroy();
  }

  /**
   * Destroys the socket if a response exceeds the read limit. undici limits the headers and
   * ResponseCollector limits the body. Neither limit counts status lines, informational responses
   * or chunk extensions, so a server could send these endlessly.
   */
  #enforceReadLimit(): void {
    if (this.#socket.bytesRead <= this.#maxBytesRead) return;
    this.#socket.destroy(new OutboundError('invalid_response', 'The response is endless.'));
  }
}
