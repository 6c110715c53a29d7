import { QUEUE_PREFIX, type RedisClient } from '../platform/process/redis.js';

const LIFETIME_MS = 1000;

/**
 * Writes to the server that has the queues. A Redis whose memory is full answers PING and
 * refuses every write.
 */
export async function assertQueuesWritable(redis: RedisClient): Promise<void> {
  await redis.set(`${QUEUE_PREFIX}:check`, '', 'PX', LIFETIME_MS);
}
