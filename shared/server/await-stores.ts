import { setTimeout as sleep } from 'node:timers/promises';
import { formatRedisNodes, type RedisLocation } from '../config/redis/redis-location.js';
import { getErrorCode, isConnectionError } from '../platform/errors.js';
import { type Database, openDatabase } from '../platform/postgres/database.js';
import { assertDirectConnection } from '../platform/postgres/pooler.js';
import { assertLeastPrivilege } from '../platform/postgres/privileges.js';
import { probePostgres } from '../platform/postgres/probe.js';
import { getAppRole } from '../platform/postgres/session.js';
import type { NeededSchema } from '../platform/process/needed-schema.js';
import type { Foundation } from '../platform/process/run-process.js';
import type { Runtime } from '../platform/process/runtime.js';
import { describeConnectionError, StartError, TransientStartError } from '../platform/start-failure.js';
import { CheckFailure, describeCheckFailure } from './health.js';
import { findMissingMigration } from './missing-migration.js';
import { probeRedis } from './probe-redis.js';
import { assertSameSecretKey } from './secret-key.js';

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 3000;
/** Interval at which the process logs again that a store is still unreachable. */
const LOG_AGAIN_MS = 60_000;
const RELEASE_REMEDY =
  'Run the migrations first: `node dist/bin/release.js` (or `tow migrate`) with this DATABASE_URL.';

interface WaitTarget {
  /** Name of the check in /readyz. */
  name: string;
  /** Name of the store or step in log entries. */
  label: string;
  /** What the operator should check. */
  advice: string;
  probe: () => Promise<void>;
}

interface DatabaseTarget {
  databaseUrl: string;
  neededSchema: NeededSchema;
}

/**
 * Waits until PostgreSQL has this version's tables and, if REDIS_URL is set, until Redis is usable.
 * During the wait, logs what is missing and what to check. Waits if an earlier version migrated the
 * database, because a release is probably running. Refuses to start if the database was never
 * migrated.
 * @throws {StartError} for problems that waiting does not solve
 * @throws {ShutdownRequested} when the process receives a stop signal while it waits
 */
export async function waitForStores(foundation: Foundation, database: DatabaseTarget): Promise<void> {
  const { redis } = foundation.config;
  await Promise.all([
    // Wait for PostgreSQL and Redis in parallel. An error of one store is then logged even while
    // the other store is unreachable.
    waitForPostgres(foundation, database.databaseUrl).then(() => waitForRelease(foundation, database)),
    redis ? waitForRedis(foundation, redis) : undefined,
  ]);
}

/**
 * Waits until PostgreSQL accepts connections with `databaseUrl`. Refuses a connection pooler.
 * @throws {StartError | ShutdownRequested} as {@link waitForStores} does
 */
export async function waitForPostgres(foundation: Foundation, databaseUrl: string): Promise<void> {
  await waitUntilReady(foundation, {
    name: 'postgres',
    label: `PostgreSQL at ${new URL(databaseUrl).host}`,
    advice: 'Check DATABASE_URL and that the server runs.',
    probe: async () => {
      await probePostgres(databaseUrl);
      // Without a DATABASE_URL in the environment, the server is the embedded one, which has no
      // pooler.
      if (!foundation.config.databaseUrl) return;
      await assertDirectConnection(databaseUrl).catch((error: unknown) => {
        throw isConnectionError(error) ? new TransientStartError(error) : error;
      });
    },
  });
}

async function waitForRelease(
  foundation: Foundation,
  { databaseUrl, neededSchema }: DatabaseTarget,
): Promise<void> {
  const { config, logger } = foundation;
  const db = openDatabase({ databaseUrl, poolSize: 1, applicationName: 'tow-start', logger });
  await waitUntilReady(foundation, {
    name: 'migrations',
    label: 'the release of this version',
    advice: RELEASE_REMEDY,
    probe: async () => {
      try {
        await assertDatabaseUsable(db, neededSchema);
        await assertSameSecretKey({ db, config });
      } catch (error) {
        throw (
          describeRoleRefusal(error, getAppRole(databaseUrl)) ??
          (isConnectionError(error) ? new TransientStartError(error) : error)
        );
      }
    },
  }).finally(() => db.close());
}

async function waitForRedis(foundation: Foundation, location: RedisLocation): Promise<void> {
  await waitUntilReady(foundation, {
    name: 'queue',
    label: `Redis at ${formatRedisNodes(location)}`,
    advice: 'Check REDIS_URL and that the server runs.',
    probe: async () => void (await probeRedis(location, foundation.logger)),
  });
}

/**
 * Waits until the Redis clients are connected. The `fast` client does not queue commands, so a
 * command before the connection would fail.
 */
export async function waitForConnections({ redis, lifecycle }: Runtime): Promise<void> {
  const clients = redis ? [redis.fast, redis.patient, redis.subscriber] : [];
  await lifecycle.waitUnlessShutdown(
    Promise.all(
      clients.map(
        (client) => client.status === 'ready' || new Promise((ready) => client.once('ready', ready)),
      ),
    ),
  );
}

async function waitUntilReady(foundation: Foundation, target: WaitTarget): Promise<void> {
  const { logger, lifecycle, startBlockers } = foundation;
  const { name, label, advice, probe } = target;
  let logged: { reason: string; at: number } | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      await lifecycle.waitUnlessShutdown(probe());
      break;
    } catch (error) {
      if (!(error instanceof TransientStartError)) throw error;
      const reason = error.message;
      startBlockers.set(name, describeCheckFailure(error.cause));
      if (logged?.reason !== reason || Date.now() - logged.at > LOG_AGAIN_MS) {
        logger.warn({ check: name }, `Waiting for ${label}: ${reason}. ${advice}`);
        logged = { reason, at: Date.now() };
      }
    }
    await lifecycle.waitUnlessShutdown(sleep(pauseMs));
  }
  startBlockers.delete(name);
  if (logged) logger.info({ check: name }, `${label} is available; the start continues`);
}

async function assertDatabaseUsable(db: Database, neededSchema: NeededSchema): Promise<void> {
  if (!(await hasTables(db))) throw createMigrationError('The database has no tables');
  await assertLeastPrivilege(db);
  const missing = await findMissingMigration(db, neededSchema);
  if (missing) throw new TransientStartError(new CheckFailure(missing));
}

async function hasTables(db: Database): Promise<boolean> {
  const [row] = await db.query<{ has_tables: boolean }>({
    text: "select to_regclass('public.schema_migrations') is not null as has_tables",
  });
  return row?.has_tables === true;
}

function createMigrationError(problem: string, cause?: unknown): StartError {
  return new StartError(`${problem}: run the migrations first.`, RELEASE_REMEDY, { cause });
}

/**
 * Describes why the application's role cannot be used. SQLSTATE 22023: the role does not exist.
 * 42501: a privilege is missing. Returns undefined for any other error.
 */
function describeRoleRefusal(error: unknown, role: string): StartError | undefined {
  if (error instanceof TransientStartError || error instanceof StartError) return undefined;
  const code = getErrorCode(error);
  const reason = describeConnectionError(error);
  if (code === '22023' && reason.includes('does not exist')) {
    return createMigrationError(`The database has no role "${role}"`, error);
  }
  if (code !== '42501') return undefined;
  return new StartError(
    `The role "${role}" lacks a privilege: ${reason}.`,
    'Use the DATABASE_URL of the release in every process, and run the release again.',
    { cause: error },
  );
}
