import type { Redis } from 'ioredis';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { TierLimits } from '../../config/config.js';

/** The state of one window after a request was counted. */
export interface WindowState {
  window: 'minute' | 'hour';
  limit: number;
  remaining: number;
  /** Whole seconds until the next window starts. */
  resetSeconds: number;
}

export interface RateDecision {
  allowed: boolean;
  windows: WindowState[];
}

/** Counts requests in fixed windows, in Redis if configured, else in this process. */
export interface Limiter {
  /** Counts one request of a key in both windows. */
  consume(key: string, limits: TierLimits): Promise<RateDecision>;
  /**
   * True if this process knows that the key's count is far from both limits. False if this process
   * has counted no request of the key in the current window. The count may omit recent requests to
   * other processes.
   */
  isFarFromLimit(key: string, limits: TierLimits): boolean;
  /**
   * Counts one request in the minute window, and in the hour window only if the minute limit allows
   * the request. Refused requests therefore do not use up the hour limit.
   */
  consumeUnlessRefused(key: string, limits: TierLimits): Promise<RateDecision>;
  /** Resolves with false if the address sent too many wrong credentials in this minute. */
  consumeBadCredential(address: string, perMinute: number): Promise<boolean>;
  /**
   * Takes points, such as bytes, from the budget of the current minute. A request for more points
   * than the whole budget is granted only if it is the first of its minute.
   */
  spendPoints(key: string, wish: { name: string; points: number; perMinute: number }): Promise<SpendResult>;
}

export interface SpendResult {
  isGranted: boolean;
  /** Time until the next minute window starts. */
  resetMs: number;
}

const WINDOWS = [
  { window: 'minute', seconds: 60 },
  { window: 'hour', seconds: 3600 },
] as const;

/** @param redis if undefined, this process keeps the counts */
export function createLimiter(redis: Redis | undefined): Limiter {
  const limiters = new Map<string, BatchingLimiter>();
  const afterTick = createAfterTick();
  const limiterFor = (name: string, points: number, duration: number): BatchingLimiter => {
    const id = `${name}:${points}`;
    let limiter = limiters.get(id);
    if (!limiter) {
      const options = { keyPrefix: `tow:limit:${name}`, points, duration };
      limiter = new BatchingLimiter(newLimiter(redis, options), points, afterTick);
      limiters.set(id, limiter);
    }
    return limiter;
  };
  const consumeIn = async (
    { window, seconds }: (typeof WINDOWS)[number],
    key: string,
    limits: TierLimits,
  ): Promise<WindowState> =>
    toWindowState(window, limits[window], await limiterFor(window, limits[window], seconds).consume(key));
  const spenders = new Map<string, RateLimiterAbstract>();
  return {
    async spendPoints(key, { name, points, perMinute }) {
      const id = `${name}:${perMinute}`;
      const options = { keyPrefix: `tow:limit:${name}`, points: perMinute, duration: 60 };
      const spender = spenders.get(id) ?? newLimiter(redis, options);
      spenders.set(id, spender);
      const { consumedPoints, msBeforeNext } = await consumePoints(spender, key, points);
      return { isGranted: consumedPoints <= perMinute || consumedPoints === points, resetMs: msBeforeNext };
    },
    async consume(key, limits) {
      return decide(await Promise.all(WINDOWS.map((window) => consumeIn(window, key, limits))));
    },
    isFarFromLimit(key, limits) {
      return WINDOWS.every(({ window, seconds }) =>
        limiterFor(window, limits[window], seconds).isFarFromLimit(key),
      );
    },
    async consumeUnlessRefused(key, limits) {
      const windows: WindowState[] = [];
      for (const window of WINDOWS) {
        const state = await consumeIn(window, key, limits);
        windows.push(state);
        if (state.remaining < 0) break;
      }
      return decide(windows);
    },
    async consumeBadCredential(address, perMinute) {
      const { position } = await limiterFor('credentials', perMinute, 60).consume(address);
      return position <= perMinute;
    },
  };
}

/**
 * Returns a function that runs work at the end of this event-loop tick. All work of a tick runs in
 * one callback, so that its Redis commands share one system call.
 */
function createAfterTick(): (work: () => void) => void {
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

interface Count {
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
class BatchingLimiter {
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

function decide(windows: WindowState[]): RateDecision {
  return { allowed: windows.every((state) => state.remaining >= 0), windows };
}

function newLimiter(
  redis: Redis | undefined,
  options: { keyPrefix: string; points: number; duration: number },
): RateLimiterAbstract {
  if (!redis) return new RateLimiterMemory(options);
  return new RateLimiterRedis({
    ...options,
    storeClient: redis,
    useRedisPackage: false,
    // While Redis is unreachable, each process counts by itself, so that requests do not fail.
    insuranceLimiter: new RateLimiterMemory(options),
  });
}

/**
 * Counts points and returns the result. If the count exceeds the limit, rate-limiter-flexible
 * rejects with the result, which this function returns. Any other rejection is a real failure.
 */
async function consumePoints(
  limiter: RateLimiterAbstract,
  key: string,
  points: number,
): Promise<RateLimiterRes> {
  return limiter.consume(key, points).catch((rejection: unknown) => {
    if (rejection instanceof RateLimiterRes) return rejection;
    throw rejection;
  });
}

function toWindowState(
  window: 'minute' | 'hour',
  limit: number,
  { position, msBeforeNext }: Count,
): WindowState {
  return {
    window,
    limit,
    // -1 marks a request over the limit; callers show it as 0.
    remaining: position > limit ? -1 : limit - position,
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
  };
}
