import type { ServerResponse } from 'node:http';
import { AppError } from './errors.js';

const MEBIBYTE = 1024 * 1024;
/** A smaller answer fits into the buffers of its socket, which are the kernel's. */
const MIN_TRACKED_BYTES = 16 * 1024;
/** What an answer may have before it is known: a page of a list. */
const LARGE_ANSWER_BYTES = 4 * MEBIBYTE;
/** Tried again after this, a client may have read what waits for it. */
const RETRY_AFTER_SECONDS = 5;

/**
 * The bytes of answers that this process holds because their clients have not read them, for each
 * holder: a tenant's id, or the network of a client without a key. A client that sends requests and
 * never reads would otherwise fill the memory of the process that serves everyone.
 */
export class UnsentAnswers {
  /** Bytes that an answer will have, for the moment until its head is sent. */
  readonly #open = new Map<string, Map<ServerResponse, number>>();

  constructor(private readonly maxBytes: number) {}

  bytesOf(holder: string): number {
    let bytes = 0;
    for (const [response, announced] of this.#open.get(holder) ?? [])
      bytes += response.headersSent ? response.writableLength : announced;
    return bytes;
  }

  /** Whether a holder may have `bytes` more; one answer, however large, always may leave. */
  hasRoom(holder: string, bytes = LARGE_ANSWER_BYTES): boolean {
    const unsent = this.bytesOf(holder);
    return unsent === 0 || unsent + bytes <= this.maxBytes;
  }

  /** @throws {AppError} 429 when the holder's clients have too much to read */
  assertRoom(holder: string, bytes?: number): void {
    if (this.hasRoom(holder, bytes)) return;
    throw new AppError(
      'rate_limited',
      'Clients of this account or network have too many answers that they have not read. Read them or close their connections, then try again.',
      { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS), 'Cache-Control': 'no-store' } },
    );
  }

  /**
   * Counts an answer until it has been sent or its connection is gone. @param bytes undefined: of a
   * stream
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
