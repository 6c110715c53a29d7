import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { errorCodeOf, isConnectionError } from './errors.js';
import { CheckFailure, findMissingMigration, publicReason } from './health.js';
import { type Database, openDatabase } from './postgres.js';
import { assertDirectConnection } from './postgres-pooler.js';
import { assertLeastPrivilege } from './postgres-privileges.js';
import { appRoleOf } from './postgres-session.js';
import { probeRedis } from './redis-probe.js';
import type { Foundation } from './run-process.js';
import type { Runtime } from './runtime.js';
import { assertSameSecretKey } from './secret-key.js';
import { describeConnectionError, NotYet, PROBE_TIMEOUT_MS, StartError } from './start-failure.js';

const FIRST_PAUSE_MS = 200;
/** Longest pause between two tries: a store that appears is noticed within this time. */
const MAX_PAUSE_MS = 3000;
/** The line about a store that is still away is logged again after this time. */
const REMIND_MS = 60_000;
const RELEASE =
  'Run the migrations first: `node dist/bin/release.js` (or `tow migrate`) with this DATABASE_URL.';

interface Wait {
  /** Name of the check in /readyz. */
  name: string;
  /** What is waited for, as the log says it. */
  label: string;
  /** What the operator should look at. */
  advice: string;
  probe: () => Promise<void>;
}

/** What every process that works on the stores needs of them. */
interface Needs {
  databaseUrl: string;
  migrationHead: string;
}

/**
 * Waits until PostgreSQL has this version's tables and, where there is a Redis, until that can be
 * used. One line says what is missing and what to check. A database that an earlier version has
 * migrated is waited for: a release is under way. One that was never migrated is refused.
 * @throws {StartError} for what waiting would not change
 * @throws {ShutdownRequested} when the process is told to stop meanwhile
 */
export async function waitForStores(foundation: Foundation, needs: Needs): Promise<void> {
  const { redisUrl } = foundation.config;
  await Promise.all([
    // A refusal of PostgreSQL is told although Redis is still away, and the other way round.
    waitForPostgres(foundation, needs.databaseUrl).then(() => waitForRelease(foundation, needs)),
    redisUrl ? waitForRedis(foundation, redisUrl) : undefined,
  ]);
}

/**
 * Waits until PostgreSQL lets the role of DATABASE_URL in, without a connection pooler between.
 * @throws as {@link waitForStores}
 */
export async function waitForPostgres(foundation: Foundation, databaseUrl: string): Promise<void> {
  await waitFor(foundation, {
    name: 'postgres',
    label: `PostgreSQL at ${new URL(databaseUrl).host}`,
    advice: 'Check DATABASE_URL and that the server runs.',
    probe: async () => {
      await probePostgres(databaseUrl);
      // The embedded server has nothing in front of it.
      if (!foundation.config.databaseUrl) return;
      await assertDirectConnection(databaseUrl).catch((error: unknown) => {
        throw isConnectionError(error) ? new NotYet(error) : error;
      });
    },
  });
}

async function waitForRelease(foundation: Foundation, { databaseUrl, migrationHead }: Needs): Promise<void> {
  const { config, logger } = foundation;
  const db = openDatabase({ databaseUrl, poolSize: 1, applicationName: 'tow-start', logger });
  await waitFor(foundation, {
    name: 'migrations',
    label: 'the release of this version',
    advice: RELEASE,
    probe: async () => {
      try {
        await assertUsable(db, migrationHead);
        await assertSameSecretKey({ db, config });
      } catch (error) {
        throw (
          refusalOfRole(error, appRoleOf(databaseUrl)) ??
          (isConnectionError(error) ? new NotYet(error) : error)
        );
      }
    },
  }).finally(() => db.close());
}

async function waitForRedis(foundation: Foundation, redisUrl: string): Promise<void> {
  await waitFor(foundation, {
    name: 'queue',
    label: `Redis at ${new URL(redisUrl).host}`,
    advice: 'Check REDIS_URL and that the server runs.',
    probe: () => probeRedis(redisUrl, foundation.logger),
  });
}

/**
 * Waits for the first connection of each of the process's own clients: one of them keeps no command
 * for later.
 */
export async function waitForConnections({ redis, lifecycle }: Runtime): Promise<void> {
  const clients = redis ? [redis.fast, redis.patient, redis.subscriber] : [];
  await lifecycle.unlessShutdown(
    Promise.all(
      clients.map(
        (client) => client.status === 'ready' || new Promise((ready) => client.once('ready', ready)),
      ),
    ),
  );
}

async function waitFor(foundation: Foundation, wait: Wait): Promise<void> {
  const { logger, lifecycle, obstacles } = foundation;
  const { name, label, advice, probe } = wait;
  let logged: { reason: string; at: number } | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      await lifecycle.unlessShutdown(probe());
      break;
    } catch (error) {
      if (!(error instanceof NotYet)) throw error;
      const reason = error.message;
      obstacles.set(name, publicReason(error.cause));
      if (logged?.reason !== reason || Date.now() - logged.at > REMIND_MS) {
        logger.warn({ check: name }, `Waiting for ${label}: ${reason}. ${advice}`);
        logged = { reason, at: Date.now() };
      }
    }
    await lifecycle.unlessShutdown(sleep(pauseMs));
  }
  obstacles.delete(name);
  if (logged) logger.info({ check: name }, `${label} is there; the start goes on`);
}

async function probePostgres(databaseUrl: string): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'tow-start',
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
  });
  // A connection that is cut fails what is under way.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw refusalOfPostgres(error, new URL(databaseUrl)) ?? new NotYet(error);
  } finally {
    // One that never connected may take its time over the end.
    client.end().catch(() => undefined);
  }
}

/** SQLSTATEs of a wrong user or password, and pg's own error for a missing one. */
const WRONG_LOGIN = ['28P01', '28000'];
const MISSING_PASSWORD = /password must be a (non-empty )?string/;

function refusalOfPostgres(error: unknown, { username, pathname }: URL): StartError | undefined {
  const code = errorCodeOf(error);
  const user = decodeURIComponent(username);
  const reason = describeConnectionError(error);
  if (WRONG_LOGIN.includes(code) || MISSING_PASSWORD.test(reason)) {
    return new StartError(
      `PostgreSQL refuses the user "${user}" of DATABASE_URL: ${reason}.`,
      'Fix the user name or the password in DATABASE_URL.',
      { cause: error },
    );
  }
  if (code === '3D000') {
    const database = decodeURIComponent(pathname.slice(1));
    return new StartError(
      `PostgreSQL has no database "${database}".`,
      `Create it (\`create database "${database}" owner "${user}"\`), or fix DATABASE_URL.`,
      { cause: error },
    );
  }
  return undefined;
}

async function assertUsable(db: Database, migrationHead: string): Promise<void> {
  if (!(await hasTables(db))) throw unreleased('The database has no tables');
  await assertLeastPrivilege(db);
  const missing = await findMissingMigration(db, migrationHead);
  if (missing) throw new NotYet(new CheckFailure(missing));
}

async function hasTables(db: Database): Promise<boolean> {
  const [row] = await db.query<{ has_tables: boolean }>({
    text: "select to_regclass('public.schema_migrations') is not null as has_tables",
  });
  return row?.has_tables === true;
}

function unreleased(problem: string, cause?: unknown): StartError {
  return new StartError(`${problem}: run the migrations first.`, RELEASE, { cause });
}

/** 22023: no such role. 42501: it may not be used, or may not read. */
function refusalOfRole(error: unknown, role: string): StartError | undefined {
  if (error instanceof NotYet || error instanceof StartError) return undefined;
  const code = errorCodeOf(error);
  const reason = describeConnectionError(error);
  if (code === '22023' && reason.includes('does not exist')) {
    return unreleased(`The database has no role "${role}"`, error);
  }
  if (code !== '42501') return undefined;
  return new StartError(
    `The role "${role}" lacks a right: ${reason}.`,
    'Use the DATABASE_URL of the release in every process, and run the release again.',
    { cause: error },
  );
}
