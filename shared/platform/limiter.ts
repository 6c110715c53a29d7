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
  /** Counts one wrong credential of an address. False: too many in this minute. */
  consumeBadCredential(address: string, perMinute: number): Promise<boolean>;
}

const WINDOWS = [
  { window: 'minute', seconds: 60 },
  { window: 'hour', seconds: 3600 },
] as const;

/** @param redis undefined: counts live in this process (the all-in-one way). */
export function createLimiter(redis: Redis | undefined): Limiter {
  const limiters = new Map<string, RateLimiterAbstract>();
  const limiterFor = (name: string, points: number, duration: number): RateLimiterAbstract => {
    const id = `${name}:${points}`;
    let limiter = limiters.get(id);
    if (!limiter) {
      limiter = newLimiter(redis, { keyPrefix: `tow:limit:${name}`, points, duration });
      limiters.set(id, limiter);
    }
    return limiter;
  };
  return {
    async consume(key, limits) {
      const windows = await Promise.all(
        WINDOWS.map(async ({ window, seconds }) => {
          const limiter = limiterFor(window, limits[window], seconds);
          return toWindowState(window, limits[window], await consumeOne(limiter, key));
        }),
      );
      return { allowed: windows.every((state) => state.remaining >= 0), windows };
    },
    async consumeBadCredential(address, perMinute) {
      const result = await consumeOne(limiterFor('credentials', perMinute, 60), address);
      return result.consumedPoints <= perMinute;
    },
  };
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
    // A key that is over its limit is refused from memory, so a flood costs Redis nothing.
    inMemoryBlockOnConsumed: options.points + 1,
  });
}

/** rate-limiter-flexible rejects with the same result object when a limit is passed; an Error is a real failure. */
async function consumeOne(limiter: RateLimiterAbstract, key: string): Promise<RateLimiterRes> {
  return limiter.consume(key).catch((rejection: unknown) => {
    if (rejection instanceof RateLimiterRes) return rejection;
    throw rejection;
  });
}

function toWindowState(window: 'minute' | 'hour', limit: number, result: RateLimiterRes): WindowState {
  const over = result.consumedPoints > limit;
  return {
    window,
    limit,
    // -1 tells "this very request was over"; callers show it as 0.
    remaining: over ? -1 : result.remainingPoints,
    resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
  };
}
