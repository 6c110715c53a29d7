import type { RedisLocation } from '../../shared/config/redis/redis-location.js';
import type { Logger } from '../../shared/platform/logger.js';
import { TransientStartError } from '../../shared/platform/start-failure.js';
import { probeRedis } from '../../shared/server/probe-redis.js';
import { CliError, EXIT } from '../cli/exit-codes.js';

/**
 * Resolves with the response time of Redis.
 * @throws {CliError} `store_unreachable` if Redis does not respond within 3 s
 * @throws {Error} if a setting is wrong, or if Redis may evict keys or takes no writes
 */
export async function checkRedis(location: RedisLocation, logger: Logger): Promise<string> {
  const ms = await probeRedis(location, logger, { needsWrites: true }).catch((error: unknown) => {
    if (!(error instanceof TransientStartError)) throw error;
    throw new CliError('store_unreachable', `Redis cannot be reached (${error.message}).`, EXIT.unreachable, {
      cause: error.cause,
    });
  });
  const name = location.kind === 'single' ? '' : `${location.kind}, `;
  return `${name}noeviction, ${Math.round(ms * 10) / 10} ms`;
}
