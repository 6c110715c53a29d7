import type { ServerResponse } from 'node:http';
import { AppError } from '../errors.js';

const MEBIBYTE = 1024 * 1024;
/** Smaller responses are not tracked, because they fit into the kernel's socket buffers. */
const MIN_TRACKED_BYTES = 16 * 1024;
/** Assumed size of a response whose size is unknown: one page of a list. */
const ASSUMED_RESPONSE_BYTES = 4 * MEBIBYTE;
/** The time that a refused client should wait before it tries again. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Limits the bytes of responses that this process keeps in memory because clients have not read
 * them. Without this limit, a client that sends requests and never reads could fill the memory.
 * `holder` is a tenant id, or the network of a client without a key.
 */
export class UnsentResponses {
  /**
   * Expected bytes per open response, by holder. Once the response's headers are sent, `countBytes`
   * counts its actual unsent bytes instead.
   */
  readonly #open = new Map<string, Map<ServerResponse, number>>();

  constructor(private readonly maxBytes: number) {}

  countBytes(holder: string): number {
    let bytes = 0;
    for (const [response, expectedBytes] of this.#open.get(holder) ?? [])
      bytes += response.headersSent ? response.writableLength : expectedBytes;
    return bytes;
  }

  /**
   * True if the holder may receive a response of this size. A holder without unread bytes may
   * always receive one response, however large.
   */
  hasCapacity(holder: string, bytes = ASSUMED_RESPONSE_BYTES): boolean {
    const unsent = this.countBytes(holder);
    return unsent === 0 || unsent + bytes <= this.maxBytes;
  }

  /** @throws {AppError} 429 if the holder has too many unread bytes */
  assertCapacity(holder: string, bytes?: number): void {
    if (this.hasCapacity(holder, bytes)) return;
    throw new AppError(
      'rate_limited',
      'Clients of this account or network have too many unread responses. Read them or close their connections, then try again.',
      { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS), 'Cache-Control': 'no-store' } },
    );
  }

  /**
   * Checks that the holder has capacity, and then counts the response.
   * @throws {AppError} 429 if the holder has too many unread bytes
   */
  admit(holder: string, response: ServerResponse, bytes?: number): void {
    this.assertCapacity(holder, bytes);
    this.track(holder, response, bytes);
  }

  /**
   * Counts a response until it has been sent or its connection has closed.
   * @param bytes undefined for a stream
   */
  track(holder: string, response: ServerResponse, bytes?: number): void {
    if (response.destroyed || (bytes !== undefined && bytes < MIN_TRACKED_BYTES)) return;
    const own = this.#open.get(holder) ?? new Map<ServerResponse, number>();
    this.#open.set(holder, own.set(response, bytes ?? 0));
    response.once('close', () => {
      own.delete(response);
      if (own.size === 0 && this.#open.get(holder) === own) this.#open.delete(holder);
    });
  }
}
