import type { Cluster, Redis } from 'ioredis';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import type { TierLimits } from '../../config/config.js';
import { BatchingLimiter, type Count, consumePoints, createAfterTick } from './batching-limiter.js';

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
   * has counted no request of the key in the current window. The count may omit recent requests
   * that other processes received.
   */
  isFarFromLimit(key: string, limits: TierLimits): boolean;
  /**
   * Counts one request in the minute window, and in the hour window only if the minute limit allows
   * the request. Refused requests therefore do not use up the hour limit.
   */
  consumeUnlessRefused(key: string, limits: TierLimits): Promise<RateDecision>;
  /**
   * Counts a wrong credential of the address. Resolves with false if the address has now sent too
   * many in this minute.
   */
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
export function createLimiter(redis: Redis | Cluster | undefined): Limiter {
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

function decide(windows: WindowState[]): RateDecision {
  return { allowed: windows.every((state) => state.remaining >= 0), windows };
}

function newLimiter(
  redis: Redis | Cluster | undefined,
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
