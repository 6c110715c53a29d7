import { errorCodeOf } from '../../shared/platform/errors.js';
import type { Logger } from '../../shared/platform/logger.js';
import { assertNoEviction, connectRedis } from '../../shared/platform/redis.js';
import { CliError, EXIT, reasonOf } from './exit-codes.js';

const CONNECT_TIMEOUT_MS = 3000;

/**
 * Connects to Redis, asks it something and looks at its eviction policy. Resolves with a line about it.
 * @throws {CliError} `store_unreachable` when it does not answer within 3 s; {Error} when it may drop keys
 */
export async function checkRedis(url: string, logger: Logger): Promise<string> {
  // Why it does not connect is the finding; a log line beside it would say it twice.
  const redis = connectRedis(url, 'fast', logger.child({}, { level: 'silent' }));
  try {
    await new Promise<void>((resolve, reject) => {
      let last: unknown = new Error(`no answer within ${CONNECT_TIMEOUT_MS} ms`);
      const timer = setTimeout(() => reject(unreachable(last)), CONNECT_TIMEOUT_MS);
      redis.on('error', (error) => {
        last = error;
        // Nobody listens there: waiting would not help a person who wants an answer now.
        if (errorCodeOf(error) !== 'ECONNREFUSED') return;
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
    `Redis cannot be reached (${reasonOf(cause)}).`,
    EXIT.unreachable,
    { cause },
  );
}
