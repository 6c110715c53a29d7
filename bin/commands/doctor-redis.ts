import { getErrorCode } from '../../shared/platform/errors.js';
import type { Logger } from '../../shared/platform/logger.js';
import { assertNoEviction, connectRedis } from '../../shared/platform/process/redis.js';
import { CliError, describeReason, EXIT } from '../cli/exit-codes.js';

const CONNECT_TIMEOUT_MS = 3000;

/**
 * Resolves with the response time of Redis.
 * @throws {CliError} `store_unreachable` if Redis does not respond within 3 s
 * @throws {Error} if Redis may evict keys
 */
export async function checkRedis(url: string, logger: Logger): Promise<string> {
  // Silence the client's log, because `tow doctor` itself prints the connection error.
  const redis = connectRedis(url, 'fast', logger.child({}, { level: 'silent' }));
  try {
    await new Promise<void>((resolve, reject) => {
      let last: unknown = new Error(`no answer within ${CONNECT_TIMEOUT_MS} ms`);
      const timer = setTimeout(() => reject(unreachable(last)), CONNECT_TIMEOUT_MS);
      redis.on('error', (error) => {
        last = error;
        // ECONNREFUSED means that no server listens on the port. Fail now instead of after the
        // timeout.
        if (getErrorCode(error) !== 'ECONNREFUSED') return;
        clearTimeout(timer);
        reject(unreachable(error));
      });
      redis.once('ready', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    const startedAt = performance.now();
    await redis.ping();
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    await assertNoEviction(redis, logger);
    return `noeviction, ${ms} ms`;
  } finally {
    redis.disconnect();
  }
}

function unreachable(cause: unknown): CliError {
  return new CliError(
    'store_unreachable',
    `Redis cannot be reached (${describeReason(cause)}).`,
    EXIT.unreachable,
    { cause },
  );
}
