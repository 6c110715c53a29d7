import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, Worker } from 'bullmq';
import { connectRedis, type RedisClient } from '../../platform/process/redis.js';
import type { Runtime } from '../../platform/process/runtime.js';

const REFUSED_PAUSE_MS = 1000;

/**
 * A worker that pauses after Redis refused to give it a job. BullMQ asks again at once, which was
 * 7,000 scripts a second and half a core for each worker (measured).
 */
export class RedisWorker<Data> extends Worker<Data> {
  protected override async moveToActive(token: string, name?: string): Promise<Job<Data>> {
    return super.moveToActive(token, name).catch(async (error: unknown) => {
      if (error instanceof Error && error.name === 'ReplyError') await sleep(REFUSED_PAUSE_MS);
      throw error;
    });
  }
}

/**
 * Redis refuses a script when its memory is full, but only until the script's first write, and
 * never a write that needs no memory. So a script that begins with DEL may start, finish and retry
 * jobs.
 */
const BEGIN_WITH_DEL = "redis.call('DEL', KEYS[1] .. ':none')\n";

/**
 * Connects a worker to Redis. Its scripts also run while the memory of Redis is full, because each
 * job that it completes frees memory. Otherwise a queue that has filled the memory would never
 * shrink: Redis would give no waiting job to a worker.
 */
export function connectWorker({ config, logger, lifecycle }: Runtime): RedisClient | undefined {
  if (!config.redis) return undefined;
  const connection = connectRedis(config.redis, 'patient', logger);
  const define = connection.defineCommand.bind(connection);
  connection.defineCommand = (name, script) =>
    define(name, { ...script, lua: `${BEGIN_WITH_DEL}${script.lua}` });
  lifecycle.onClose('worker redis', () => connection.disconnect());
  return connection;
}
