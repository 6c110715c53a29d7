import { setTimeout as sleep } from 'node:timers/promises';
import { answersQueries, databaseUrl, OWNER } from '../../shared/platform/embedded-postgres/database.js';
import { startEmbeddedPostgres } from '../../shared/platform/embedded-postgres/start.js';
import { readState } from '../../shared/platform/embedded-postgres/state.js';
import { type Database, openDatabase } from '../../shared/platform/postgres.js';
import type { Foundation } from '../../shared/platform/run-process.js';
import { CliError, EXIT, isNotMigrated, reasonOf } from './exit-codes.js';

/** How long to wait for the server of a process that has only just started. */
const WAIT_FOR_SERVER_MS = 15_000;
const POLL_MS = 200;

/** Another process, such as `npm start`, has the embedded server of this DATA_DIR. */
export function isDataDirTaken(error: unknown): boolean {
  return error instanceof Error && error.message.includes('already runs in DATA_DIR');
}

/**
 * Connection string of the owner role: DATABASE_URL; else the embedded server that another process runs in DATA_DIR; else one started here.
 * @throws {CliError} `store_unreachable` when the embedded server cannot be started or does not answer
 */
export async function findDatabaseUrl(foundation: Foundation): Promise<string> {
  const { config } = foundation;
  if (config.databaseUrl) return config.databaseUrl;
  try {
    return await startServer(foundation);
  } catch (error) {
    if (isDataDirTaken(error)) return runningServer(config.dataDir);
    throw unreachable(
      `The embedded PostgreSQL in ${config.dataDir} does not start: ${reasonOf(error)}`,
      error,
    );
  }
}

/** Starts the embedded server, to be stopped with the lifecycle. @throws {Error} see {@link isDataDirTaken} */
export async function startServer({ config, logger, lifecycle }: Foundation): Promise<string> {
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, logger });
  lifecycle.onClose('embedded postgres', () => embedded.stop());
  return embedded.databaseUrl;
}

/** Everything needed is in postgres.json; while its owner is still starting, it may be missing or the server deaf. */
async function runningServer(dataDir: string): Promise<string> {
  const deadline = Date.now() + WAIT_FOR_SERVER_MS;
  let last: unknown;
  do {
    try {
      const state = await readState(dataDir);
      const url = state && databaseUrl(OWNER, state.ownerPassword, state.port);
      if (url && (await answersQueries(url))) return url;
    } catch (error) {
      last = error;
    }
    await sleep(POLL_MS);
  } while (Date.now() < deadline);
  const reason = last === undefined ? '' : ` (${reasonOf(last)})`;
  throw unreachable(
    `Another process runs in ${dataDir}, but its PostgreSQL does not answer${reason}. Try again.`,
    last,
  );
}

function unreachable(message: string, cause: unknown): CliError {
  return new CliError('store_unreachable', message, EXIT.unreachable, { cause });
}

/** Opens a small pool of sessions in the application's role. It connects with the first statement. */
export function openStore({ logger, lifecycle }: Foundation, url: string, name: string): Database {
  const db = openDatabase({ databaseUrl: url, poolSize: 2, applicationName: `tow-${name}`, logger });
  lifecycle.onClose('postgres pool', () => db.close());
  return db;
}

/**
 * Asks PostgreSQL something. False: it answers, but has no application's role yet, which `tow migrate` makes.
 * @throws when it cannot be reached or refuses the credentials
 */
export async function isReachableAsApp(db: Database): Promise<boolean> {
  try {
    await db.query({ text: 'select 1' });
    return true;
  } catch (error) {
    if (isNotMigrated(error)) return false;
    throw error;
  }
}

/** Tenants looked at in one transaction. */
const TENANTS_PER_PASS = 500;

/** Rows of all tenants: every chunk of them in a transaction that sees only these. */
export async function readAcrossTenants<R>(db: Database, text: string, values: unknown[] = []): Promise<R[]> {
  const ids = await db.tenantIds();
  const rows: R[] = [];
  for (let start = 0; start < ids.length; start += TENANTS_PER_PASS) {
    const chunk = ids.slice(start, start + TENANTS_PER_PASS);
    rows.push(...(await db.transaction(chunk, (tx) => tx.query<R>({ text, values }))));
  }
  return rows;
}
