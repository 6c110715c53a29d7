import type { ServerResponse } from 'node:http';
import { AppError } from '../shared/platform/errors.js';

/** A reader may pause for so long, in ms; one that is gone without a word must not keep its file open for ever. */
const STALL_MS = 5 * 60_000;
/** One tenant's at once, per process. Each is an open file and a socket, no more. */
const PER_TENANT = 20;
/** What is under way when the process ends may go on for so long, in ms; the rest is fetched from the next one, by range. */
const GRACE_MS = 10_000;

/** The downloads that this process has under way. */
export class Downloads {
  readonly #open = new Map<ServerResponse, string>();

  /** Counts a download until its connection or answer ends. @throws {AppError} 429 when the tenant has too many under way */
  begin(response: ServerResponse, tenantId: string): void {
    // A client that went while its export was looked up does not go once more.
    if (response.destroyed) return;
    let own = 0;
    for (const holder of this.#open.values()) if (holder === tenantId) own += 1;
    if (own >= PER_TENANT) {
      throw new AppError('rate_limited', `At most ${PER_TENANT} downloads at a time. Wait for one to end.`, {
        headers: { 'Retry-After': '5' },
      });
    }
    this.#open.set(response, tenantId);
    response.once('close', () => this.#open.delete(response));
    response.setTimeout(STALL_MS, () => response.destroy());
  }

  get count(): number {
    return this.#open.size;
  }

  /** Cuts what is under way in a while, so that a slow reader does not keep the process from ending. Does not wait for it. */
  endSoon(graceMs = GRACE_MS): void {
    const cut = () => {
      for (const response of this.#open.keys()) response.destroy();
    };
    setTimeout(cut, graceMs).unref();
  }
}
