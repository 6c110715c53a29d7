import { setTimeout as sleep } from 'node:timers/promises';
import type { CallLimits } from '../../../shared/integrations/contract/vendor-limits.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
/** A step begins only when the minute has room for this many calls, so that few stop midway. */
const CALLS_OF_STEP = 4;

/** The calls that were made within the last `ms`, and how many may be made. */
class Window {
  /** The times of the last calls, as many as the window may have. */
  private readonly times: number[];
  /** The index of the oldest of these times. */
  private oldest = 0;

  constructor(
    private readonly ms: number,
    readonly maxCalls: number,
    now: number,
  ) {
    if (!Number.isInteger(maxCalls) || maxCalls < 1)
      throw new RangeError(`${maxCalls} calls in ${ms / SECOND_MS} s`);
    // Another process may have called the vendor until this moment. So begin as if the calls of the
    // last window had been made at equal intervals.
    this.times = Array.from({ length: maxCalls }, (_, nth) => now - ms + (nth * ms) / maxCalls);
  }

  /** The time from which `count` calls fit the window. */
  findTime(count: number): number {
    const nth = Math.min(count, this.maxCalls) - 1;
    return (this.times[(this.oldest + nth) % this.maxCalls] ?? 0) + this.ms;
  }

  take(at: number): void {
    this.times[this.oldest] = at;
    this.oldest = (this.oldest + 1) % this.maxCalls;
  }
}

/**
 * Limits how many calls a connection makes to its vendor within any second, and within any minute
 * if the vendor limits these. Calls are also at least half of the mean interval of a second apart.
 * Otherwise many calls could arrive at the end of one second that left at its beginning. A count in
 * this process is enough, because only the process with the connection's lease calls the vendor.
 */
export class CallRate {
  private readonly second: Window;
  private readonly minute: Window | undefined;
  private lastAt = Number.NEGATIVE_INFINITY;
  private readonly minIntervalMs: number;
  private lastWait: Promise<void> = Promise.resolve();

  /** @param limits contains whole numbers from 1 */
  constructor(
    { perSecond, perMinute }: Pick<CallLimits, 'perSecond' | 'perMinute'>,
    private readonly now: () => number = () => performance.now(),
  ) {
    const start = now();
    this.second = new Window(SECOND_MS, perSecond, start);
    this.minute = perMinute === undefined ? undefined : new Window(MINUTE_MS, perMinute, start);
    this.minIntervalMs = SECOND_MS / perSecond / 2;
  }

  /** Milliseconds until the next call may be made. */
  get waitMs(): number {
    return this.findWaitMs(1);
  }

  /** Milliseconds until the next step may begin. */
  get stepWaitMs(): number {
    return this.findWaitMs(CALLS_OF_STEP);
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
    this.second.take(this.lastAt);
    this.minute?.take(this.lastAt);
  }

  private findWaitMs(callsOfMinute: number): number {
    const nextAt = Math.max(
      this.second.findTime(1),
      this.minute?.findTime(callsOfMinute) ?? 0,
      this.lastAt + this.minIntervalMs,
    );
    return Math.max(0, Math.ceil(nextAt - this.now()));
  }
}
