import type { Redis } from 'ioredis';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { TierLimits } from './config.js';

/** One window's standing after a request was counted. */
export interface WindowState {
  window: 'minute' | 'hour';
  limit: number;
  remaining: number;
  /** Whole seconds until the window starts again. */
  resetSeconds: number;
}

export interface RateDecision {
  allowed: boolean;
  windows: WindowState[];
}

/** Counts requests against fixed windows. Redis holds the counts when there is one, else this process does. */
export interface Limiter {
  /** Counts one request of a key against both windows of its limits. */
  consume(key: string, limits: TierLimits): Promise<RateDecision>;
  /**
   * True when this process knows that a key is far from both limits. It knows nothing of a key's
   * first request in a window, and little of what other processes count.
   */
  isFarFromLimit(key: string, limits: TierLimits): boolean;
  /**
   * Counts one request against the minute, and against the hour only if the minute lets it through:
   * refused requests use up no hour.
   */
  consumeUnlessRefused(key: string, limits: TierLimits): Promise<RateDecision>;
  /** Counts one wrong credential of an address. False: too many in this minute. */
  consumeBadCredential(address: string, perMinute: number): Promise<boolean>;
  /**
   * Takes points of a minute's, such as bytes, in one go. What is more than a whole minute's is
   * granted alone, at the beginning of one.
   */
  spend(key: string, wish: { name: string; points: number; perMinute: number }): Promise<Spending>;
}

export interface Spending {
  isGranted: boolean;
  /** Until the minute begins again. */
  resetMs: number;
}

const WINDOWS = [
  { window: 'minute', seconds: 60 },
  { window: 'hour', seconds: 3600 },
] as const;

/** @param redis undefined: counts live in this process (the all-in-one way). */
export function createLimiter(redis: Redis | undefined): Limiter {
  const limiters = new Map<string, GatheredLimiter>();
  const limiterFor = (name: string, points: number, duration: number): GatheredLimiter => {
    const id = `${name}:${points}`;
    let limiter = limiters.get(id);
    if (!limiter) {
      const options = { keyPrefix: `tow:limit:${name}`, points, duration };
      limiter = new GatheredLimiter(newLimiter(redis, options), points);
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
    async spend(key, { name, points, perMinute }) {
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
      const { nth } = await limiterFor('credentials', perMinute, 60).consume(address);
      return nth <= perMinute;
    },
  };
}

interface Count {
  /** Which request of its window this one was, from 1. */
  nth: number;
  msBeforeNext: number;
}

/** What the store told of a key last. */
interface LastCount {
  count: number;
  /** When its window ends, in ms since 1970. */
  endsAt: number;
}

/** Part of a limit below which a key counts as far from it. */
const FAR_FROM_LIMIT = 0.9;

/** Keys of one limit whose counts a process remembers. */
const MAX_REMEMBERED = 10_000;

interface Waiter {
  resolve: (count: Count) => void;
  reject: (error: unknown) => void;
}

/**
 * Counts what arrives for a key while its earlier call is under way with one call to the store, and tells each request its own place in the window:
 * exactly what single calls would have told it, at a fraction of the cost under load.
 */
class GatheredLimiter {
  /** Requests of each key that has a call under way or about to leave. */
  private readonly waiting = new Map<string, Waiter[]>();
  private readonly lastCounts = new Map<string, LastCount>();

  constructor(
    private readonly limiter: RateLimiterAbstract,
    private readonly limit: number,
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
      setImmediate(() => void this.flush(key));
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
      this.remember(key, { count: consumedPoints, endsAt: Date.now() + msBeforeNext });
      const before = consumedPoints - waiters.length;
      for (const [index, { resolve }] of waiters.entries())
        resolve({ nth: before + index + 1, msBeforeNext });
    } catch (error) {
      for (const { reject } of waiters) reject(error);
    }
  }

  private remember(key: string, last: LastCount): void {
    if (this.lastCounts.size >= MAX_REMEMBERED) this.lastCounts.clear();
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
    // While Redis is away each process limits by itself: a limit must not turn into an outage.
    insuranceLimiter: new RateLimiterMemory(options),
  });
}

/** rate-limiter-flexible rejects with the same result object when a limit is passed; an Error is a real failure. */
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

function toWindowState(window: 'minute' | 'hour', limit: number, { nth, msBeforeNext }: Count): WindowState {
  return {
    window,
    limit,
    // -1 tells "this very request was over"; callers show it as 0.
    remaining: nth > limit ? -1 : limit - nth,
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
  };
}
