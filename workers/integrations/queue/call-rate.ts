import { setTimeout as sleep } from 'node:timers/promises';

const SECOND_MS = 1000;

/**
 * Limits how many calls a connection makes to its vendor within any second. Calls are also at least
 * half of the mean interval apart. Otherwise many calls could arrive at the end of one second that
 * left at its beginning. A count in this process is enough, because only the process with the
 * connection's lease calls the vendor.
 */
export class CallRate {
  /** The times of the last calls, as many as a second may have. */
  private readonly times: number[];
  /** The index of the oldest of these times. */
  private oldest = 0;
  private lastAt = Number.NEGATIVE_INFINITY;
  private readonly minIntervalMs: number;
  private lastWait: Promise<void> = Promise.resolve();

  /** @param perSecond a whole number from 1 */
  constructor(
    perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    if (!Number.isInteger(perSecond) || perSecond < 1) throw new RangeError(`${perSecond} calls a second`);
    this.minIntervalMs = SECOND_MS / perSecond / 2;
    // Another process may have called the vendor until this moment. So begin as if the calls of the
    // last second had been made at equal intervals.
    const start = now() - SECOND_MS;
    this.times = Array.from({ length: perSecond }, (_, nth) => start + (nth * SECOND_MS) / perSecond);
  }

  /** Milliseconds until the next call may be made. */
  get waitMs(): number {
    const oldest = this.times[this.oldest] ?? 0;
    const nextAt = Math.max(oldest + SECOND_MS, this.lastAt + this.minIntervalMs);
    return Math.max(0, Math.ceil(nextAt - this.now()));
  }

  /**
   * Waits until the call may be made, after all calls that waited before, and counts it. Stops
   * waiting once `isWanted` returns false, and then does not count the call.
   */
  wait(isWanted: () => boolean): Promise<void> {
    this.lastWait = this.lastWait.then(async () => {
      while (isWanted() && this.waitMs > 0) await sleep(this.waitMs);
      if (isWanted()) this.take();
    });
    return this.lastWait;
  }

  /** Counts a call that is made now. */
  take(): void {
    this.lastAt = this.now();
    this.times[this.oldest] = this.lastAt;
    this.oldest = (this.oldest + 1) % this.times.length;
  }
}
