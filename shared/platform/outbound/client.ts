import type { OutboundRules } from './addresses.js';
import { connectTo } from './connect.js';
import { IdleLines } from './idle-lines.js';
import { Line, LineGoneError, type LineRequest } from './line.js';
import { connectError, exchangeError, HeldBackError, OutboundError } from './outbound-error.js';
import type { Reception } from './reception.js';
import { createResolve, type Resolve } from './resolve.js';
import { type Target, targetOf } from './target.js';

export interface OutboundRequest {
  method: 'POST' | 'GET' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** Over everything: name, connection, TLS, headers, body. */
  deadlineMs: number;
  maxBodyBytes: number;
  /**
   * Whether the receiver knows a repetition when it sees one (GET, a webhook-id). Then it is sent
   * once more, over a new socket, when a kept one ends without a byte of an answer: a server may
   * close a socket that waits at the very moment it is used. Default false.
   */
  isRepeatable?: boolean;
  /** More headers, made each time the request is about to be written: those that tell the time. */
  stamp?: () => Record<string, string>;
  /**
   * Asked before the first byte of the request is sent, with the address that its socket is
   * connected to; rejects with {@link HeldBackError} to send nothing.
   */
  admit?: (address: string) => Promise<void>;
}

export interface OutboundAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  /** As it was sent: never decompressed. */
  body: Buffer;
  /** More came than maxBodyBytes. */
  isTruncated: boolean;
  remoteAddress: string | null;
  /** Name, connection and TLS; null: a socket kept alive. */
  connectMs: number | null;
  /** Until the headers had come. */
  firstByteMs: number;
  totalMs: number;
}

export interface OutboundClient {
  /** Follows no redirect and retries nothing but what isRepeatable says. @throws {OutboundError} when no whole answer came */
  send(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Takes nothing more, waits for what is under way (each has its deadline) and closes every socket. */
  close(): Promise<void>;
}

export interface OutboundOptions extends OutboundRules {
  /** Tests only: says the addresses of a name instead of the name servers; each is checked all the same. */
  resolve?: Resolve;
}

/** Headers that belong to the connection or would change where or how the request arrives; a caller may not set them. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The one way out of the product: whoever calls an address that a tenant named calls it through here. The address that is connected to decides, and no
 * proxy of the environment, global dispatcher or redirect has a say. It limits neither rate nor sockets per receiver: the caller does.
 */
export function createOutboundClient(options: OutboundOptions): OutboundClient {
  return new GuardedClient(options, options.resolve ?? createResolve());
}

/** One request on its way. */
class Trip {
  readonly begunAt = performance.now();
  stage = '';
  remoteAddress: string | null = null;
  connectMs: number | null = null;
  isOver = false;
  /** Ends what is under way right now. */
  stop: () => void = () => undefined;
}

class GuardedClient implements OutboundClient {
  readonly #rules: OutboundRules;
  readonly #resolve: Resolve;
  readonly #idle = new IdleLines();
  #underWay = 0;
  #isClosed = false;
  #onQuiet: () => void = () => undefined;

  constructor({ allowLoopback, allowHttp }: OutboundRules, resolve: Resolve) {
    this.#rules = { allowLoopback, allowHttp };
    this.#resolve = resolve;
  }

  send(request: OutboundRequest): Promise<OutboundAnswer> {
    const trip = new Trip();
    this.#underWay += 1;
    // No AbortSignal.timeout: it costs a third of what the request itself does (measured).
    return new Promise((resolve, reject) => {
      const end = () => {
        trip.isOver = true;
        clearTimeout(timer);
        this.#underWay -= 1;
        if (this.#underWay === 0) this.#onQuiet();
      };
      const fail = (error: unknown) => {
        if (trip.isOver) return;
        end();
        reject(error instanceof HeldBackError ? error : toFailure(error, trip));
      };
      const timer = setTimeout(() => {
        const { stop, stage } = trip;
        fail(new OutboundError('timeout', `Not done within ${request.deadlineMs} ms, while ${stage}.`));
        stop();
      }, request.deadlineMs);
      this.#perform(request, trip).then((answer) => {
        if (trip.isOver) return;
        end();
        resolve(answer);
      }, fail);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#idle.endAll();
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#onQuiet = resolve));
    this.#idle.endAll();
  }

  async #perform(request: OutboundRequest, trip: Trip): Promise<OutboundAnswer> {
    if (this.#isClosed) throw new OutboundError('connect', 'The sender is shutting down.');
    const target = targetOf(request.url, this.#rules);
    const headers = withoutReserved(request.headers);
    let isRepetition = false;
    for (;;) {
      const kept = isRepetition ? undefined : this.#idle.take(target.origin);
      const line = kept ?? (await this.#open(target, trip));
      const toSend: LineRequest = {
        method: request.method,
        path: target.path,
        headers: { ...headers, ...(await this.#admit(line, request, trip)) },
        body: request.body ?? null,
        maxBodyBytes: request.maxBodyBytes,
      };
      try {
        const reception = await this.#exchange(line, toSend, trip);
        if (line.isFit && !this.#isClosed) this.#idle.put(line);
        else line.destroy();
        return toAnswer(reception, trip);
      } catch (error) {
        const failure = exchangeError(error, line.hasEnded);
        const isUnsent = error instanceof LineGoneError;
        const isUnanswered = isUnsent || (request.isRepeatable && line.isSilent);
        line.destroy();
        // A kept socket that was closed meanwhile; each turn uses up one of them.
        const mayGoOn = kept && isUnanswered && failure.kind === 'reset' && !trip.isOver;
        if (!mayGoOn) throw failure;
        // It may have arrived: the others of a server that resets them all would be as many copies.
        isRepetition = !isUnsent;
      }
    }
  }

  /** A socket that may not be used now is kept for later. @returns the stamp of this sending */
  async #admit(line: Line, { admit, stamp }: OutboundRequest, trip: Trip): Promise<Record<string, string>> {
    trip.stage = 'it waited to be sent';
    trip.stop = () => undefined;
    try {
      await admit?.(line.remoteAddress);
      if (trip.isOver) throw new OutboundError('timeout', 'Nobody waits any more.');
      return stamp?.() ?? {};
    } catch (error) {
      if (line.isFit && !this.#isClosed) this.#idle.put(line);
      else line.destroy();
      throw error;
    }
  }

  async #open(target: Target, trip: Trip): Promise<Line> {
    const begunAt = performance.now();
    const abort = new AbortController();
    // Said anew when a kept socket was gone: the time may run out here after all.
    trip.stage = 'the host was looked up and connected to';
    trip.stop = () => abort.abort();
    const connected = await connectTo(target, {
      rules: this.#rules,
      resolve: this.#resolve,
      signal: abort.signal,
    });
    trip.connectMs = performance.now() - begunAt;
    const line = new Line(target.origin, connected, (gone) => this.#idle.remove(gone) && gone.destroy());
    if (!trip.isOver) return line;
    line.destroy();
    throw new OutboundError('timeout', 'Nobody waits any more.');
  }

  #exchange(line: Line, request: LineRequest, trip: Trip): Promise<Reception> {
    trip.remoteAddress = line.remoteAddress;
    trip.stage = 'the answer was awaited or read';
    trip.stop = () => line.destroy();
    return line.exchange(request);
  }
}

function withoutReserved(headers: Record<string, string>): Record<string, string> {
  for (const name of Object.keys(headers)) {
    if (RESERVED_HEADERS.has(name.toLowerCase())) {
      throw new OutboundError('invalid_url', `The header ${name.toLowerCase()} cannot be set.`);
    }
  }
  return { ...headers, 'accept-encoding': 'identity' };
}

function toAnswer(reception: Reception, trip: Trip): OutboundAnswer {
  return {
    status: reception.status,
    headers: reception.headers,
    body: reception.body,
    isTruncated: reception.isTruncated,
    remoteAddress: trip.remoteAddress,
    connectMs: trip.connectMs,
    firstByteMs: reception.firstByteAt - trip.begunAt,
    totalMs: performance.now() - trip.begunAt,
  };
}

function toFailure(error: unknown, trip: Trip): OutboundError {
  const failure = error instanceof OutboundError ? error : connectError(error);
  failure.remoteAddress ??= trip.remoteAddress;
  failure.totalMs = performance.now() - trip.begunAt;
  return failure;
}
