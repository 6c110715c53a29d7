import type { ServerResponse } from 'node:http';
import { AppError } from '../../shared/platform/errors.js';

/**
 * A client may pause this long. A client that disappears without closing its connection
 * must not keep its file open forever.
 */
const STALL_TIMEOUT_MS = 5 * 60_000;
/** Maximum per process. Each download holds only an open file and a socket. */
const MAX_PER_TENANT = 20;
/**
 * Running downloads may continue this long after the shutdown begins. Clients fetch the rest from
 * the next process with a range request.
 */
const GRACE_MS = 10_000;

export class ActiveDownloads {
  readonly #open = new Map<ServerResponse, string>();

  /**
   * Counts a download until its connection or response closes.
   * @throws {AppError} 429 when the tenant has too many running downloads
   */
  track(response: ServerResponse, tenantId: string): void {
    // The client disconnected during the look-up of its export. 'close' is not emitted again.
    if (response.destroyed) return;
    let ownCount = 0;
    for (const holder of this.#open.values()) if (holder === tenantId) ownCount += 1;
    if (ownCount >= MAX_PER_TENANT) {
      throw new AppError(
        'rate_limited',
        `At most ${MAX_PER_TENANT} downloads at a time. Wait for one to end.`,
        {
          headers: { 'Retry-After': '5' },
        },
      );
    }
    this.#open.set(response, tenantId);
    response.once('close', () => this.#open.delete(response));
    response.setTimeout(STALL_TIMEOUT_MS, () => response.destroy());
  }

  get count(): number {
    return this.#open.size;
  }

  /**
   * Closes running downloads after the grace period, so that a slow client does not block the
   * shutdown. Does not wait for them.
   */
  closeAfterGracePeriod(graceMs = GRACE_MS): void {
    const closeAll = () => {
      for (const response of this.#open.keys()) response.destroy();
    };
    setTimeout(closeAll, graceMs).unref();
  }
}
