import type { Config } from '../../shared/config/config.js';
import type { Database } from '../../shared/platform/postgres/database.js';
import { describeIdentity, readIdentity } from '../../shared/platform/primary/primary-identity.js';
import { createRedisClient } from '../../shared/platform/process/redis.js';
import { createSharedTimelines } from '../../shared/platform/process/shared-timelines.js';
import { readLostWrites } from './lost-writes.js';

export const REMEDY_FOR_PRIMARY =
  'Let DATABASE_URL lead to the newest primary, and rebuild the old one as its standby; docs/guides/runbooks.md says how.';
export const REMEDY_FOR_LOST_WRITES =
  '`npx tow lost-writes list` lists them. Make them again, then `npx tow lost-writes resolve`; docs/guides/runbooks.md says how.';

/** Maximum number of writes that the error message names. */
const MAX_NAMED = 5;

/**
 * Resolves with the timeline of the server.
 * @throws {Error} if the server is a standby, or if the processes have seen a later timeline
 */
export async function checkPrimary(db: Database, redis: Config['redis']): Promise<string> {
  const found = await readIdentity((query) => db.query(query));
  if (found === 'unreadable')
    return 'this server does not show its timeline, so an old primary is not refused';
  if (!found) throw new Error('the server is a standby, which takes no writes');
  const newest = redis ? await readNewestTimeline(redis, found.systemIdentifier) : 0;
  if (newest > found.timeline)
    throw new Error(
      `the server is an old primary: it has ${describeIdentity(found)}, but a server with timeline ${newest} has replaced it`,
    );
  return describeIdentity(found);
}

/** Resolves with 0 if Redis does not answer, which the check of Redis reports. */
async function readNewestTimeline(
  location: NonNullable<Config['redis']>,
  systemIdentifier: string,
): Promise<number> {
  const redis = createRedisClient(location, 'probe');
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await createSharedTimelines(redis).read(systemIdentifier);
  } catch {
    return 0;
  } finally {
    redis.disconnect();
  }
}

/** @throws {Error} naming acknowledged writes that a promotion lost and that are not resolved */
export async function checkLostWrites(db: Database): Promise<string> {
  const lost = await readLostWrites(db);
  if (lost.length === 0) return 'no promotion of a standby has lost an acknowledged write';
  const named = lost
    .slice(0, MAX_NAMED)
    .map(
      ({ tenant_id, type, record_id, command_id }) =>
        `${type} ${record_id} of ${tenant_id} (command ${command_id})`,
    );
  const more = lost.length > MAX_NAMED ? [`and ${lost.length - MAX_NAMED} more`] : [];
  throw new Error(`acknowledged writes were lost: ${[...named, ...more].join('; ')}`);
}
