import { parseRedisUrl } from '../../../shared/config/redis/parse-redis-url.js';
import type { RedisLocation } from '../../../shared/config/redis/redis-location.js';

/** Returns the location of a valid REDIS_URL. */
export function locateRedis(url: string): RedisLocation {
  const { location, faults } = parseRedisUrl(url);
  if (!location) throw new Error(faults.join('; '));
  return location;
}
