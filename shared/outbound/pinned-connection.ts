import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import type { ConnectedSocket } from './connect.js';
import { OutboundError } from './outbound-error.js';
import { ResponseCollector } from './response-collector.js';

/** Many servers close idle sockets after 5 s. A server's shorter Keep-Alive timeout wins. */
const IDLE_MS = 10_000;
/** Limits the age of a socket, so that the client notices when a name moves to another address. */
const MAX_AGE_MS = 300_000;
const MAX_HEADER_BYTES = 16_384;

/** The socket closed before the client wrote the request, so the request can use another socket. */
export class ConnectionClosedError extends Error {
  override readonly name = 'ConnectionClosedError';
}

/** The caller has already checked the URL and the headers. */
export interface ConnectionRequest {
  method: Dispatcher.HttpMethod;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | null;
  maxBodyBytes: number;
}

/**
 * One request at a time over one socket. Never reconnects, because connectTo checks the address.
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
        // undici does not allow its callback to run during its own call.
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
      // The deadline of the request covers both timeouts.
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
   * @throws {ConnectionClosedError} if no byte of the request was sent; otherwise {OutboundError}
   * or an error of undici or the socket
   */
  sendRequest({ maxBodyBytes, ...request }: ConnectionRequest): Promise<ResponseCollector> {
    // A body in one-byte chunks, each in its own TLS record, takes 32 times its size on the wire.
    this.#bytesReadBefore = this.#socket.bytesRead;
    this.#maxBytesRead = this.#bytesReadBefore + 262_144 + 32 * maxBodyBytes;
    return new Promise((resolve, reject) => {
      this.#client.dispatch(request, new ResponseCollector(maxBodyBytes, resolve, reject));
    });
  }

  /** Closes the socket immediately, even during a request. */
  destroy(): void {
    this.#socket.destroy();
    // undici has already reported the error of a running request, so the promise needs no handling.
    void this.#client.destroy();
  }

  /**
   * Limits the bytes that neither undici (headers) nor ResponseCollector (body) counts: status
   * lines, informational responses and endless chunk extensions.
   */
  #enforceReadLimit(): void {
    if (this.#socket.bytesRead <= this.#maxBytesRead) return;
    this.#socket.destroy(new OutboundError('invalid_response', 'The response is endless.'));
  }
}
