import { type Command, Redis } from 'ioredis';
import type { Logger } from '../logger.js';
import { StartError } from '../start-failure.js';

/** An API request waits this long for Redis. Then the API returns 503. */
export const REDIS_TIMEOUT_MS = 300;

/** Redis did not reply to an API command within `REDIS_TIMEOUT_MS`. */
export class RedisTimeoutError extends Error {
  constructor() {
    super('Redis did not answer in time');
    this.name = 'RedisTimeoutError';
  }
}

/** Intervals of the timeout. A pause of this process costs at most one interval. */
const TIMEOUT_INTERVALS = 3;

/**
 * `fast`: for the API, which must respond quickly; no offline queue, one retry. `patient`: for
 * workers and subscriptions, which wait until Redis is reachable again (BullMQ documentation,
 * "failing fast" and "connections").
 */
export type RedisMode = 'fast' | 'patient';

/**
 * Commands fail when Redis has not replied after `REDIS_TIMEOUT_MS`. ioredis's `commandTimeout` is
 * a single timer. After a pause of this process (a busy machine, a long garbage collection) timers
 * run before sockets are read, so that timer failed commands whose reply had arrived. With several
 * intervals, the socket is read between two of them.
 */
class FailFastRedis extends Redis {
  override sendCommand(...sent: Parameters<Redis['sendCommand']>): unknown {
    const reply = super.sendCommand(...sent);
    const [command] = sent;
    if (!command.isSettled) rejectWhenLate(command);
    return reply;
  }
}

function rejectWhenLate(command: Command): void {
  let intervalsLeft = TIMEOUT_INTERVALS;
  const timer = setInterval(() => {
    intervalsLeft -= 1;
    if (intervalsLeft === 0) command.reject(new RedisTimeoutError());
  }, REDIS_TIMEOUT_MS / TIMEOUT_INTERVALS);
  const stop = () => clearInterval(timer);
  command.promise.then(stop, stop);
}

/** Connection errors never crash the process. The client reconnects at least once a second. */
export function connectRedis(url: string, patience: RedisMode, logger: Logger): Redis {
  const redis = new (patience === 'fast' ? FailFastRedis : Redis)(url, {
    ...(patience === 'fast'
      ? { enableOfflineQueue: false, maxRetriesPerRequest: 1 }
      : { maxRetriesPerRequest: null }),
    connectTimeout: 3000,
    retryStrategy: (times) => Math.min(50 * times, 1000),
    // After a failover the old node replies READONLY. 2: reconnect and send the command again.
    reconnectOnError: (error) => (/READONLY|LOADING/.test(error.message) ? 2 : false),
  });
  let lastLoggedAt = 0;
  redis.on('error', (error) => {
    // An unreachable Redis causes many errors a second; one log entry per 5 s is enough.
    if (Date.now() - lastLoggedAt < 5000) return;
    lastLoggedAt = Date.now();
    logger.warn({ err: error }, 'redis connection error');
  });
  return redis;
}

/**
 * Refuses a Redis that may evict keys under memory pressure: BullMQ's lock keys would go first. If
 * the server forbids CONFIG, this only logs a warning.
 * @throws {StartError} when maxmemory-policy is not noeviction
 */
export async function assertNoEviction(redis: Redis, logger: Logger): Promise<void> {
  const reply = await redis.config('GET', 'maxmemory-policy').catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'ReplyError') throw error;
    logger.warn({ reason: error.message }, 'cannot read maxmemory-policy; make sure it is noeviction');
    return undefined;
  });
  const policy = Array.isArray(reply) ? String(reply[1]) : 'noeviction';
  if (policy !== 'noeviction') {
    throw new StartError(
      `Redis has maxmemory-policy ${policy}: jobs would vanish under memory pressure.`,
      'Set it to noeviction (`redis-cli config set maxmemory-policy noeviction`, and in redis.conf).',
    );
  }
}
