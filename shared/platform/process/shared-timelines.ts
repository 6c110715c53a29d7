import type { Cluster, Redis } from 'ioredis';
import type { SharedTimelines } from '../primary/known-primary.js';
import { QUEUE_PREFIX } from './redis.js';

const TIMEOUT_MS = 3000;

/** Stores the argument unless the key has a higher number. Two processes may store at once. */
const RAISE = `
  if tonumber(redis.call('get', KEYS[1]) or '0') < tonumber(ARGV[1]) then redis.call('set', KEYS[1], ARGV[1]) end
  return 1`;

/** With the prefix of the queues, the rights of an older release's Redis user suffice. */
function buildKey(systemIdentifier: string): string {
  return `${QUEUE_PREFIX}:primary:${systemIdentifier}`;
}

/**
 * Shares timelines in Redis.
 * @param redis may queue commands until it is connected
 */
export function createSharedTimelines(redis: Redis | Cluster): SharedTimelines {
  return {
    async read(systemIdentifier) {
      return Number((await limitTime(redis.get(buildKey(systemIdentifier)))) ?? 0);
    },
    async raise({ systemIdentifier, timeline }) {
      await limitTime(redis.eval(RAISE, 1, buildKey(systemIdentifier), timeline));
    },
  };
}

async function limitTime<T>(reply: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Redis did not answer in time')), TIMEOUT_MS);
  });
  return Promise.race([reply, timeout]).finally(() => clearTimeout(timer));
}
