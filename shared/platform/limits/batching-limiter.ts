import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';

/**
 * Returns a function that runs work at the end of this event-loop tick. All work of a tick runs in
 * one callback, so that its Redis commands share one system call.
 */
export function createAfterTick(): (work: () => void) => void {
  let works: (() => void)[] = [];
  return (work) => {
    works.push(work);
    if (works.length > 1) return;
    setImmediate(() => {
      const all = works;
      works = [];
      for (const run of all) run();
    });
  };
}

export interface Count {
  /** The request's number within its window, starting at 1. */
  position: number;
  msBeforeNext: number;
}

/** The count that the store last returned for a key. */
interface LastCount {
  count: number;
  /** End of the window, in ms since the epoch. */
  endsAt: number;
}

/** A count below this fraction of its limit is far from the limit. */
const FAR_FROM_LIMIT = 0.9;

/** Maximum number of keys whose counts are cached. */
const MAX_CACHED_COUNTS = 10_000;

interface Waiter {
  resolve: (count: Count) => void;
  reject: (error: unknown) => void;
}

/**
 * Counts requests in the store. While a store call for a key is in flight, further requests of the
 * key wait, and the next call counts all of them. Each request still gets its own number in the
 * window. Under load, most requests need no store call of their own.
 */
export class BatchingLimiter {
  /** Waiting requests by key, while a store call for the key is in flight or about to start. */
  private readonly waiting = new Map<string, Waiter[]>();
  private readonly lastCounts = new Map<string, LastCount>();

  constructor(
    private readonly limiter: RateLimiterAbstract,
    private readonly limit: number,
    private readonly afterTick: (work: () => void) => void,
  ) {}

  isFarFromLimit(key: string): boolean {
    const last = this.lastCounts.get(key);
    if (!last || last.endsAt <= Date.now()) return false;
    return last.count + (this.waiting.get(key)?.length ?? 0) < this.limit * FAR_FROM_LIMIT;
  }

  consume(key: string): Promise<Count> {
    return new Promise((resolve, reject) => {
      const waiters = this.waiting.get(key);
      if (waiters) {
        waiters.push({ resolve, reject });
        return;
      }
      this.waiting.set(key, [{ resolve, reject }]);
      this.afterTick(() => void this.flush(key));
    });
  }

  private async flush(key: string): Promise<void> {
    for (let waiters = this.waiting.get(key) ?? []; waiters.length > 0; ) {
      const next: Waiter[] = [];
      this.waiting.set(key, next);
      await this.count(key, waiters);
      waiters = next;
    }
    this.waiting.delete(key);
  }

  private async count(key: string, waiters: Waiter[]): Promise<void> {
    try {
      const { consumedPoints, msBeforeNext } = await consumePoints(this.limiter, key, waiters.length);
      this.cacheCount(key, { count: consumedPoints, endsAt: Date.now() + msBeforeNext });
      const before = consumedPoints - waiters.length;
      for (const [index, { resolve }] of waiters.entries())
        resolve({ position: before + index + 1, msBeforeNext });
    } catch (error) {
      for (const { reject } of waiters) reject(error);
    }
  }

  private cacheCount(key: string, last: LastCount): void {
    if (this.lastCounts.size >= MAX_CACHED_COUNTS) this.lastCounts.clear();
    this.lastCounts.set(key, last);
  }
}

/**
 * Counts points and returns the result. If the count exceeds the limit, rate-limiter-flexible
 * rejects with the result, which this function returns. Any other rejection is a real failure.
 */
export async function consumePoints(
  limiter: RateLimiterAbstract,
  key: string,
  points: number,
): Promise<RateLimiterRes> {
  return limiter.consume(key, points).catch((rejection: unknown) => {
    if (rejection instanceof RateLimiterRes) return rejection;
    throw rejection;
  });
}
