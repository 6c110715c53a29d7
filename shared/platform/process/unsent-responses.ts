import type { ServerResponse } from 'node:http';
import { AppError } from '../errors.js';

const MEBIBYTE = 1024 * 1024;
/** A smaller response fits into the kernel's socket buffers. */
const MIN_TRACKED_BYTES = 16 * 1024;
/** A response of unknown size counts as one page of a list. */
const ASSUMED_RESPONSE_BYTES = 4 * MEBIBYTE;
/** By then a client may have read its responses. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Counts the bytes of responses that this process holds because clients have not read them. The
 * holder is a tenant id, or the network of a client without a key. Otherwise a client that sends
 * requests and never reads could fill the memory of the process.
 */
export class UnsentResponses {
  /** Expected bytes per open response. They count until the response's head is sent. */
  readonly #open = new Map<string, Map<ServerResponse, number>>();

  constructor(private readonly maxBytes: number) {}

  countBytes(holder: string): number {
    let bytes = 0;
    for (const [response, expectedBytes] of this.#open.get(holder) ?? [])
      bytes += response.headersSent ? response.writableLength : expectedBytes;
    return bytes;
  }

  /** A holder without unread bytes may always receive one response, however large. */
  hasCapacity(holder: string, bytes = ASSUMED_RESPONSE_BYTES): boolean {
    const unsent = this.countBytes(holder);
    return unsent === 0 || unsent + bytes <= this.maxBytes;
  }

  /** @throws {AppError} 429 when the holder has too many unread bytes */
  assertCapacity(holder: string, bytes?: number): void {
    if (this.hasCapacity(holder, bytes)) return;
    throw new AppError(
      'rate_limited',
      'Clients of this account or network have too many unread responses. Read them or close their connections, then try again.',
      { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS), 'Cache-Control': 'no-store' } },
    );
  }

  /** @throws {AppError} 429 when the holder has too many unread bytes */
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
