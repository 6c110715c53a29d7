import { setTimeout as sleep } from 'node:timers/promises';
import type { CallLimits } from '../../../shared/integrations/contract/vendor-limits.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
/** A step begins only when the minute has room for this many calls, so that few stop midway. */
const CALLS_OF_STEP = 4;

/** The wait before looking again, while calls in flight use all places of the second. */
const IN_FLIGHT_WAIT_MS = 10;

/** The calls that were made within the last `ms`, and how many may be made. */
class Window {
  /** The times of the last calls, as many as the window may have. */
  private readonly times: number[];

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
    if (count === 1) return Math.min(...this.times) + this.ms;
    const nth = Math.min(count, this.maxCalls) - 1;
    return (this.times.toSorted((a, b) => a - b)[nth] ?? 0) + this.ms;
  }

  /**
   * Counts a call at `at`, in place of the earliest call.
   * @returns a function that counts this call at another time instead
   */
  take(at: number): (at: number) => void {
    const nth = this.times.indexOf(Math.min(...this.times));
    this.times[nth] = at;
    return (otherAt) => {
      this.times[nth] = otherAt;
    };
  }
}

/** Ends a call. One that had no response may have arrived at the vendor at any time until now. */
export type EndCall = (isAnswered: boolean) => void;

/**
 * Limits how many calls of a connection arrive at its vendor within any second, and how many leave
 * within any minute if the vendor limits these.
 *
 * Calls that leave evenly may arrive together, because a busy network or process delays some of
 * them. So a call counts from the latest time at which it may have arrived: the time of its
 * response, less the shortest time that a recent call took in all. Until then it uses its place in
 * the second. Calls are also at least half of the mean interval apart.
 *
 * A count in this process is enough, because only the process with the connection's lease calls the
 * vendor.
 */
export class CallRate {
  private readonly second: Window;
  private readonly minute: Window | undefined;
  private readonly perSecond: number;
  private lastAt = Number.NEGATIVE_INFINITY;
  private readonly minIntervalMs: number;
  private lastWait: Promise<unknown> = Promise.resolve();
  /** How long the last answered calls took, the latest first. As many as a second may have. */
  private durationsMs: number[] = [];

  /** @param limits contains whole numbers from 1 */
  constructor(
    { perSecond, perMinute }: Pick<CallLimits, 'perSecond' | 'perMinute'>,
    private readonly now: () => number = () => performance.now(),
  ) {
    const start = now();
    this.perSecond = perSecond;
    this.second = new Window(SECOND_MS, perSecond, start);
    this.minute = perMinute === undefined ? undefined : new Window(MINUTE_MS, perMinute, start);
    this.minIntervalMs = SECOND_MS / perSecond / 2;
  }

  /**
   * Milliseconds until the next call may be made. Infinite while that depends on calls in flight.
   */
  get waitMs(): number {
    return this.findWaitMs(1);
  }

  /** Milliseconds until the next step may begin, or until to ask again. */
  get stepWaitMs(): number {
    const ms = this.findWaitMs(CALLS_OF_STEP);
    return Number.isFinite(ms) ? ms : IN_FLIGHT_WAIT_MS;
  }

  /**
   * Waits until the call may be made, after all calls that waited before, and counts it. Stops
   * waiting once `isWanted` returns false. Then it does not count the call, and returns undefined.
   */
  wait(isWanted: () => boolean): Promise<EndCall | undefined> {
    const taken = this.lastWait.then(async () => {
      while (isWanted() && this.waitMs > 0)
        await sleep(Number.isFinite(this.waitMs) ? this.waitMs : IN_FLIGHT_WAIT_MS);
      return isWanted() ? this.take() : undefined;
    });
    this.lastWait = taken;
    return taken;
  }

  /** Counts a call that is made now. The caller must end it. */
  take(): EndCall {
    const startedAt = this.now();
    this.lastAt = startedAt;
    const count = this.second.take(Number.POSITIVE_INFINITY);
    this.minute?.take(startedAt);
    return (isAnswered) => {
      const endedAt = this.now();
      if (isAnswered) this.durationsMs = [endedAt - startedAt, ...this.durationsMs].slice(0, this.perSecond);
      count(isAnswered ? endedAt - Math.min(...this.durationsMs) : endedAt);
    };
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
