import type { Socket } from 'node:net';
import { type Command, Redis } from 'ioredis';
import { corkUntilNextTick } from '../cork-until-next-tick.js';
import type { Logger } from '../logger.js';
import { StartError } from '../start-failure.js';

/** The time that an API request waits for Redis before the API returns 503. */
export const REDIS_TIMEOUT_MS = 300;

/** Thrown if Redis did not reply to an API command within `REDIS_TIMEOUT_MS`. */
export class RedisTimeoutError extends Error {
  constructor() {
    super('Redis did not answer in time');
    this.name = 'RedisTimeoutError';
  }
}

/**
 * The timeout consists of this many timer intervals. A pause of this process uses up at most one
 * interval.
 */
const TIMEOUT_INTERVALS = 3;

/**
 * `fast` is for the API, which must respond quickly: no offline queue, one retry. `patient` is for
 * workers and subscriptions, which wait until Redis is reachable again (BullMQ documentation,
 * "failing fast" and "connections").
 */
export type RedisMode = 'fast' | 'patient';

/**
 * Writes the Redis commands of one callback and its microtasks with one system call. ioredis alone
 * uses a system call per command. The connections that BullMQ duplicates for blocking commands
 * still use a system call per command.
 */
class BatchingRedis extends Redis {
  override sendCommand(...sent: Parameters<Redis['sendCommand']>): unknown {
    if (this.stream) corkUntilNextTick(this.stream as Socket);
    return super.sendCommand(...sent);
  }
}

/**
 * Fails a command if Redis has not replied after `REDIS_TIMEOUT_MS`. ioredis's own `commandTimeout`
 * is a single timer. After a pause of this process (a busy machine, a long garbage collection),
 * Node runs timers before it reads sockets. The single timer therefore failed commands whose
 * replies had already arrived. With several intervals, Node reads the socket between two of them.
 */
class FailFastRedis extends BatchingRedis {
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

/**
 * Connects to Redis. While the connection is lost, tries to reconnect at least once a second.
 * Connection errors are logged and never crash the process.
 */
export function connectRedis(url: string, patience: RedisMode, logger: Logger): Redis {
  const redis = new (patience === 'fast' ? FailFastRedis : BatchingRedis)(url, {
    ...(patience === 'fast'
      ? { enableOfflineQueue: false, maxRetriesPerRequest: 1 }
      : { maxRetriesPerRequest: null }),
    connectTimeout: 3000,
    retryStrategy: (times) => Math.min(50 * times, 1000),
    // The value 2 makes ioredis reconnect and send the command again. READONLY comes from the old
    // node after a failover, LOADING from a node that is still starting.
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
 * Refuses a Redis that may evict keys under memory pressure, because Redis would evict BullMQ's
 * lock keys first. If the server forbids CONFIG, only logs a warning.
 * @throws {StartError} if maxmemory-policy is not noeviction
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
