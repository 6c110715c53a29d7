import type { ServerResponse } from 'node:http';
import { AppError } from '../../shared/platform/errors.js';

/**
 * Ends a download that makes no progress for this time. Otherwise a client that has vanished would
 * keep the file open.
 */
const STALL_TIMEOUT_MS = 5 * 60_000;
/**
 * Maximum number of concurrent downloads of a tenant. Each uses only an open file and a socket, so
 * the limit need not be lower.
 */
const MAX_PER_TENANT = 20;
/**
 * Maximum time that downloads continue after the shutdown begins. Clients can later request the
 * rest of the file.
 */
const GRACE_MS = 10_000;

export class ActiveDownloads {
  readonly #open = new Map<ServerResponse, string>();

  /**
   * Counts a download until its connection or response closes.
   * @throws {AppError} 429 when the tenant has too many running downloads
   */
  track(response: ServerResponse, tenantId: string): void {
    // If the client has already disconnected, 'close' is not emitted again. The download would then
    // stay in the count forever.
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
   * Ends all downloads after a grace period. Returns immediately, because a slow client must not
   * delay the shutdown.
   */
  closeAfterGracePeriod(graceMs = GRACE_MS): void {
    const closeAll = () => {
      for (const response of this.#open.keys()) response.destroy();
    };
    setTimeout(closeAll, graceMs).unref();
  }
}
