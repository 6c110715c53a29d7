import { type Command, Redis } from 'ioredis';
import type { Logger } from './logger.js';
import { StartError } from './start-failure.js';

/** How long a request of the API may wait for Redis, in ms; past it the caller is told 503. */
export const REDIS_BUDGET_MS = 300;

/** A command of the API got no answer within `REDIS_BUDGET_MS`. */
export class RedisTimeoutError extends Error {
  constructor() {
    super('Redis did not answer in time');
    this.name = 'RedisTimeoutError';
  }
}

/** In so many parts a command's budget is spent; a pause of this process costs one part at most. */
const BUDGET_PARTS = 3;

/**
 * `fast`: for the API, which must answer now: no offline queue, one retry. `patient`: for workers and subscriptions, which have nothing better to do
 * than to wait for Redis to come back (BullMQ, "failing fast" and "connections").
 */
export type RedisPatience = 'fast' | 'patient';

/**
 * A connection whose commands fail after `REDIS_BUDGET_MS` without an answer.
 *
 * Not ioredis's `commandTimeout`: that is one timer, and after a pause of this process (a busy
 * machine, a long collection) timers come before sockets, so it failed commands whose answer had
 * long arrived. The budget is spent in parts: between two of them the socket is read.
 */
class ImpatientRedis extends Redis {
  override sendCommand(...sent: Parameters<Redis['sendCommand']>): unknown {
    const answer = super.sendCommand(...sent);
    const [command] = sent;
    if (!command.isSettled) limitWait(command);
    return answer;
  }
}

function limitWait(command: Command): void {
  let partsLeft = BUDGET_PARTS;
  const timer = setInterval(() => {
    partsLeft -= 1;
    if (partsLeft === 0) command.reject(new RedisTimeoutError());
  }, REDIS_BUDGET_MS / BUDGET_PARTS);
  const stop = () => clearInterval(timer);
  command.promise.then(stop, stop);
}

/** One Redis connection that never crashes the process and reconnects at least once a second. */
export function connectRedis(url: string, patience: RedisPatience, logger: Logger): Redis {
  const redis = new (patience === 'fast' ? ImpatientRedis : Redis)(url, {
    ...(patience === 'fast'
      ? { enableOfflineQueue: false, maxRetriesPerRequest: 1 }
      : { maxRetriesPerRequest: null }),
    connectTimeout: 3000,
    retryStrategy: (times) => Math.min(50 * times, 1000),
    // After a failover the old node answers READONLY; 2 = reconnect and send the command again.
    reconnectOnError: (error) => (/READONLY|LOADING/.test(error.message) ? 2 : false),
  });
  let lastLoggedAt = 0;
  redis.on('error', (error) => {
    // A store that is away errors many times a second; one line each 5 s says as much.
    if (Date.now() - lastLoggedAt < 5000) return;
    lastLoggedAt = Date.now();
    logger.warn({ err: error }, 'redis connection error');
  });
  return redis;
}

/**
 * Refuses a Redis that may drop keys under memory pressure: BullMQ's lock keys would go first.
 * @throws {StartError} when maxmemory-policy is not noeviction. A server that forbids CONFIG is
 * trusted, with a warning.
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
