import type { OutboundRules } from './addresses.js';
import { connectTo } from './connect.js';
import { ConnectionPool } from './connection-pool.js';
import { connectError, exchangeError, OutboundError, PostponedError } from './outbound-error.js';
import { type OutboundRequest, type OutboundResponse, prepareHeaders } from './outbound-request.js';
import { ConnectionClosedError, type ConnectionRequest, PinnedConnection } from './pinned-connection.js';
import { createHostnameResolver, type ResolveHostname } from './resolve.js';
import type { ResponseCollector } from './response-collector.js';
import { parseTarget, type Target } from './target.js';

export type { OutboundRequest, OutboundResponse };

export interface OutboundClient {
  /**
   * Sends a request and returns its response. Follows no redirects. Repeats a request only if a
   * reused socket turns out to be closed (see `isIdempotent`).
   * @throws {OutboundError} if no complete response arrived
   * @throws {PostponedError} if `beforeSend` postponed the request
   */
  send(request: OutboundRequest): Promise<OutboundResponse>;
  /**
   * Refuses new requests. Resolves when every running request has completed, failed or reached its
   * deadline.
   */
  close(): Promise<void>;
}

export interface OutboundOptions extends OutboundRules {
  /**
   * Replaces the DNS lookup in tests. The client still checks each address that this function
   * returns.
   */
  resolve?: ResolveHostname;
}

/**
 * Creates the only HTTP client for addresses that tenants supply. The client opens and checks each
 * connection itself. Proxies from the environment, global dispatchers and redirects therefore
 * cannot change the destination. Callers must limit the request rate and the sockets per receiver.
 */
export function createOutboundClient(options: OutboundOptions): OutboundClient {
  return new GuardedClient(options, options.resolve ?? createHostnameResolver());
}

class RequestState {
  readonly startedAt = performance.now();
  stage = '';
  remoteAddress: string | null = null;
  connectMs: number | null = null;
  isFinished = false;
  stopStage: () => void = () => undefined;
}

class GuardedClient implements OutboundClient {
  readonly #rules: OutboundRules;
  readonly #resolve: ResolveHostname;
  readonly #pool = new ConnectionPool();
  #runningCount = 0;
  #isClosed = false;
  #onIdle: () => void = () => undefined;

  constructor({ allowLoopback, allowHttp }: OutboundRules, resolve: ResolveHostname) {
    this.#rules = { allowLoopback, allowHttp };
    this.#resolve = resolve;
  }

  send(request: OutboundRequest): Promise<OutboundResponse> {
    const state = new RequestState();
    this.#runningCount += 1;
    // A plain timer: `AbortSignal.timeout` would add a third to the cost of a request (measured).
    return new Promise((resolve, reject) => {
      const end = () => {
        state.isFinished = true;
        clearTimeout(timer);
        this.#runningCount -= 1;
        if (this.#runningCount === 0) this.#onIdle();
      };
      const fail = (error: unknown) => {
        if (state.isFinished) return;
        end();
        reject(error instanceof PostponedError ? error : toOutboundError(error, state));
      };
      const timer = setTimeout(() => {
        const { stopStage, stage } = state;
        fail(
          new OutboundError(
            'timeout',
            `The request did not complete within ${request.deadlineMs} ms. At the deadline, ${stage}.`,
          ),
        );
        stopStage();
      }, request.deadlineMs);
      this.#performRequest(request, state).then((response) => {
        if (state.isFinished) return;
        end();
        resolve(response);
      }, fail);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pool.closeAll();
    if (this.#runningCount > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    this.#pool.closeAll();
  }

  async #performRequest(request: OutboundRequest, state: RequestState): Promise<OutboundResponse> {
    if (this.#isClosed) throw new OutboundError('connect', 'The sender is shutting down.');
    const target = parseTarget(request.url, this.#rules);
    const headers = prepareHeaders(request.headers);
    let mustUseNewSocket = false;
    for (;;) {
      const pooled = mustUseNewSocket ? undefined : this.#pool.acquire(target.origin);
      const connection = pooled ?? (await this.#openConnection(target, state));
      const requestToSend: ConnectionRequest = {
        method: request.method,
        path: target.path,
        headers: { ...headers, ...(await this.#awaitPermission(connection, request, state)) },
        body: request.body ?? null,
        maxBodyBytes: request.maxBodyBytes,
      };
      try {
        const collector = await this.#exchange(connection, requestToSend, state);
        if (connection.isReusable && !this.#isClosed) this.#pool.release(connection);
        else connection.destroy();
        return toOutboundAnswer(collector, state);
      } catch (error) {
        const failure = exchangeError(error, connection.hasEnded);
        const isUnsent = error instanceof ConnectionClosedError;
        const isUnanswered = isUnsent || (request.isIdempotent && connection.hasReceivedNothing);
        connection.destroy();
        // Retry if the receiver had closed a kept-alive socket. Each retry removes one idle socket
        // from the pool, so the loop ends.
        const canRetry = pooled && isUnanswered && failure.kind === 'reset' && !state.isFinished;
        if (!canRetry) throw failure;
        // If the request was sent, retry on a new socket. If retries used idle sockets from the
        // pool, a server that resets every socket could receive the request once per idle socket.
        mustUseNewSocket = !isUnsent;
      }
    }
  }

  /**
   * Waits until `beforeSend` permits the request. If `beforeSend` refuses, the connection goes back
   * to the pool.
   * @returns the headers from `buildFreshHeaders`
   */
  async #awaitPermission(
    connection: PinnedConnection,
    { beforeSend, buildFreshHeaders }: OutboundRequest,
    state: RequestState,
  ): Promise<Record<string, string>> {
    state.stage = 'it was waiting to be sent';
    state.stopStage = () => undefined;
    try {
      await beforeSend?.(connection.remoteAddress);
      if (state.isFinished) throw new OutboundError('timeout', 'The request has already timed out.');
      return buildFreshHeaders?.() ?? {};
    } catch (error) {
      if (connection.isReusable && !this.#isClosed) this.#pool.release(connection);
      else connection.destroy();
      throw error;
    }
  }

  async #openConnection(target: Target, state: RequestState): Promise<PinnedConnection> {
    const startedAt = performance.now();
    const abort = new AbortController();
    state.stage = 'the host was being looked up and connected to';
    state.stopStage = () => abort.abort();
    const connected = await connectTo(target, {
      rules: this.#rules,
      resolve: this.#resolve,
      signal: abort.signal,
    });
    state.connectMs = performance.now() - startedAt;
    const connection = new PinnedConnection(
      target.origin,
      connected,
      (gone) => this.#pool.remove(gone) && gone.destroy(),
    );
    if (!state.isFinished) return connection;
    connection.destroy();
    throw new OutboundError('timeout', 'The request has already timed out.');
  }

  #exchange(
    connection: PinnedConnection,
    request: ConnectionRequest,
    state: RequestState,
  ): Promise<ResponseCollector> {
    state.remoteAddress = connection.remoteAddress;
    state.stage = 'the response was awaited or being read';
    state.stopStage = () => connection.destroy();
    return connection.sendRequest(request);
  }
}

function toOutboundAnswer(collector: ResponseCollector, state: RequestState): OutboundResponse {
  return {
    status: collector.status,
    headers: collector.headers,
    body: collector.body,
    isTruncated: collector.isTruncated,
    remoteAddress: state.remoteAddress,
    connectMs: state.connectMs,
    firstByteMs: collector.firstByteAt - state.startedAt,
    totalMs: performance.now() - state.startedAt,
  };
}

function toOutboundError(error: unknown, state: RequestState): OutboundError {
  const failure = error instanceof OutboundError ? error : connectError(error);
  failure.remoteAddress ??= state.remoteAddress;
  failure.totalMs = performance.now() - state.startedAt;
  return failure;
}
