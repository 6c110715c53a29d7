import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Logger } from '../platform/logger.js';
import { assertNoEviction } from '../platform/process/redis.js';
import {
  describeConnectionError,
  PROBE_TIMEOUT_MS,
  StartError,
  TransientStartError,
} from '../platform/start-failure.js';

const WRONG_PASSWORD = /^(WRONGPASS|NOAUTH|NOPERM|ERR invalid password|ERR AUTH|ERR DB index)/;

/**
 * Checks once that Redis is usable.
 * @throws {TransientStartError} when Redis may become usable later
 * @throws {StartError} when a setting of this process or of Redis is wrong
 */
export async function probeRedis(redisUrl: string, logger: Logger): Promise<void> {
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: PROBE_TIMEOUT_MS,
    commandTimeout: PROBE_TIMEOUT_MS,
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined);
  try {
    redis.connect().catch(() => undefined);
    // `once` rejects with the reason when the connection fails. The timeout is needed for a Redis
    // that still loads its data: such a Redis accepts the connection, but does not become ready.
    await Promise.race([once(redis, 'ready'), sleep(PROBE_TIMEOUT_MS, undefined, { ref: false })]);
    await redis.ping();
    await assertNoEviction(redis, logger);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const reason = describeConnectionError(error);
    if (!WRONG_PASSWORD.test(reason)) throw new TransientStartError(error);
    throw new StartError(
      `Redis refuses REDIS_URL: ${reason}.`,
      'Fix the user name, the password or the database number in REDIS_URL.',
      { cause: error },
    );
  } finally {
    redis.disconnect();
  }
}
