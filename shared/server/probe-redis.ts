import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisLocation } from '../config/redis/redis-location.js';
import type { Logger } from '../platform/logger.js';
import {
  assertNoEviction,
  createRedisClient,
  pingQueues,
  type RedisClient,
} from '../platform/process/redis.js';
import { describeWriteRefusal } from '../platform/redis-refusal.js';
import {
  formatErrorReason,
  PROBE_TIMEOUT_MS,
  StartError,
  TransientStartError,
} from '../platform/start-failure.js';
import { assertQueuesWritable } from './assert-queues-writable.js';

/** Errors that only a change of settings can solve. */
const REFUSALS: { pattern: RegExp; problem: string; remedy: string }[] = [
  {
    pattern: /WRONGPASS|NOAUTH|NOPERM|ERR invalid password|ERR AUTH|ERR DB index/,
    problem: 'Redis refuses REDIS_URL',
    remedy: 'Fix the user name, the password or the database number in REDIS_URL.',
  },
  {
    pattern: /self[- ]signed|unable to (verify|get)|certificate has expired|altnames|not yet valid/i,
    problem: 'This process does not trust the certificate of Redis',
    remedy:
      'Set REDIS_CA_FILE to the certificate of the authority that signed it, and use a host name that it contains in REDIS_URL.',
  },
  {
    pattern: /wrong version number|packet length too long/i,
    problem: 'Redis has no TLS on this port',
    remedy: 'Use its TLS port, or redis:// instead of rediss://, in REDIS_URL.',
  },
  {
    pattern: /cluster support disabled/,
    problem: 'REDIS_URL names a cluster, but this Redis is none',
    remedy: 'Use redis:// instead of redis+cluster://.',
  },
  {
    pattern: /unknown command .?sentinel/i,
    problem: 'REDIS_URL names sentinels, but no sentinel has this address',
    remedy: 'Use the addresses of the sentinels, or redis:// for a single Redis.',
  },
];

/** What a server that is not a single Redis needs in REDIS_URL. */
const SCHEMES_BY_MODE: Record<string, string> = {
  cluster: 'redis+cluster://host:port,host:port',
  sentinel: 'redis+sentinel://host:port,host:port/name-of-the-master',
};

/**
 * Checks once that Redis is usable, and resolves with its response time in milliseconds.
 * @param needsWrites false for a start, because a process also serves reads while Redis is full
 * @throws {TransientStartError} when Redis may become usable later
 * @throws {StartError} when a setting of this process or of Redis is wrong
 */
export async function probeRedis(
  location: RedisLocation,
  logger: Logger,
  { needsWrites = false } = {},
): Promise<number> {
  const redis = createRedisClient(location, 'probe');
  let lastDetail: unknown;
  // The error of a sentinel or of a node says more than the error that follows from it.
  for (const event of ['sentinelError', 'node error']) {
    redis.on(event, (error: unknown) => {
      lastDetail = error;
    });
  }
  redis.on('error', () => undefined);
  try {
    redis.connect().catch(() => undefined);
    // `once` rejects with the reason when the connection fails. The timeout is needed for a Redis
    // that still loads its data: such a Redis accepts the connection, but does not become ready.
    await Promise.race([once(redis, 'ready'), sleep(PROBE_TIMEOUT_MS, undefined, { ref: false })]);
    if (location.kind === 'cluster' && redis.status !== 'ready')
      throw new Error('the cluster is not ready: a part of the keys has no master');
    const startedAt = performance.now();
    await pingQueues(redis);
    const ms = performance.now() - startedAt;
    if (location.kind === 'single') await assertSingle(redis);
    await assertNoEviction(redis, logger);
    if (needsWrites) await assertQueuesWritable(redis);
    return ms;
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw (
      findWriteRefusal(error, needsWrites) ?? findRefusal(error) ?? explain(lastDetail ?? error, location)
    );
  } finally {
    redis.disconnect();
  }
}

/**
 * Refuses a sentinel, and a node of a cluster, which redirects most commands to other nodes. A
 * cluster with one master redirects none.
 */
async function assertSingle(redis: RedisClient): Promise<void> {
  const mode = /^redis_mode:(\w+)/m.exec(await redis.info('server'))?.[1] ?? '';
  const scheme = SCHEMES_BY_MODE[mode];
  if (mode === 'cluster' && /^cluster_size:1\r?$/m.test(String(await redis.call('cluster', 'info')))) return;
  if (scheme) throw new StartError(`REDIS_URL leads to a ${mode}.`, `Write it as ${scheme}.`);
}

const SYSTEM_ERROR = /\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)\b/;

function findRefusal(error: unknown): StartError | undefined {
  const message = error instanceof Error ? error.message : '';
  const refusal = REFUSALS.find(({ pattern }) => pattern.test(message));
  if (!refusal) return undefined;
  const problem = `${refusal.problem}: ${formatErrorReason(error)}.`;
  return new StartError(problem, refusal.remedy, { cause: error });
}

/** Redis refuses even a PING while it cannot save to disk. A start then waits. */
function findWriteRefusal(
  error: unknown,
  needsWrites: boolean,
): StartError | TransientStartError | undefined {
  const problem = describeWriteRefusal(error);
  if (!problem) return undefined;
  if (!needsWrites) return new TransientStartError(error);
  return new StartError(`${problem}.`, 'Read docs/guides/redis.md.', { cause: error });
}

function explain(error: unknown, location: RedisLocation): StartError | TransientStartError {
  const message = error instanceof Error ? error.message : '';
  if (location.kind === 'sentinel' && message.includes('invalid reply')) {
    return new TransientStartError(new Error(`the sentinels watch no master named ${location.name}`));
  }
  const refusal = findRefusal(error);
  if (refusal) return refusal;
  // A sentinel's error contains the code only in its text.
  const code = SYSTEM_ERROR.exec(message)?.[1];
  return new TransientStartError(code ? Object.assign(new Error(message), { code }) : error);
}
