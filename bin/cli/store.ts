import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase } from '../../shared/platform/postgres/database.js';
import type { Foundation } from '../../shared/platform/process/run-process.js';
import { buildDatabaseUrl, canAnswerQueries, OWNER_ROLE } from '../embedded-postgres/database.js';
import { isDataDirTaken, startEmbeddedServer } from '../embedded-postgres/server-of-process.js';
import { readState } from '../embedded-postgres/state.js';
import { CliError, describeReason, EXIT, isNotMigrated } from './exit-codes.js';

/** The time to wait for an embedded server that another process may still be starting. */
const WAIT_FOR_SERVER_MS = 15_000;
const POLL_MS = 200;

/**
 * Returns DATABASE_URL if this setting exists, otherwise the URL of the embedded server in
 * DATA_DIR. Starts the embedded server if no process runs it.
 * @throws {CliError} `store_unreachable` if the embedded server cannot be started or does not
 *   respond
 */
export async function findDatabaseUrl(foundation: Foundation): Promise<string> {
  const { config } = foundation;
  if (config.databaseUrl) return config.databaseUrl;
  try {
    return await startEmbeddedServer(foundation);
  } catch (error) {
    if (isDataDirTaken(error)) return findRunningServer(config.dataDir);
    throw unreachable(
      `The embedded PostgreSQL in ${config.dataDir} does not start: ${describeReason(error)}`,
      error,
    );
  }
}

/**
 * Returns the URL of the embedded server that another process runs. Polls, because the server may
 * still be starting.
 */
async function findRunningServer(dataDir: string): Promise<string> {
  const deadline = Date.now() + WAIT_FOR_SERVER_MS;
  let last: unknown;
  do {
    try {
      const state = await readState(dataDir);
      const url = state && buildDatabaseUrl(OWNER_ROLE, state.ownerPassword, state.port);
      if (url && (await canAnswerQueries(url))) return url;
    } catch (error) {
      last = error;
    }
    await sleep(POLL_MS);
  } while (Date.now() < deadline);
  const reason = last === undefined ? '' : ` (${describeReason(last)})`;
  throw unreachable(
    `Another process runs in ${dataDir}, but its PostgreSQL does not respond${reason}. Try again.`,
    last,
  );
}

function unreachable(message: string, cause: unknown): CliError {
  return new CliError('store_unreachable', message, EXIT.unreachable, { cause });
}

/**
 * Opens a pool of at most two connections in the application's role. Connects only when the first
 * query is sent.
 */
export function openStore({ logger, lifecycle }: Foundation, url: string, name: string): Database {
  const db = openDatabase({ databaseUrl: url, poolSize: 2, applicationName: `tow-${name}`, logger });
  lifecycle.onClose('postgres pool', () => db.close());
  return db;
}

/**
 * Resolves with true if a query in the application's role succeeds. Resolves with false if the role
 * is missing, because `tow migrate` has not run yet.
 * @throws if PostgreSQL cannot be reached or refuses the credentials
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

const TENANTS_PER_PASS = 500;

/**
 * Runs a query for all tenants, in one transaction per chunk of 500 tenants, and returns all rows.
 * Each transaction sees only the tenants of its chunk, and is rolled back. The query must name them
 * by `isInSessionTenants`.
 */
export async function readAcrossTenants<R>(db: Database, text: string, values: unknown[] = []): Promise<R[]> {
  const ids = await db.listTenantIds({ includesFrozen: true });
  const rows: R[] = [];
  for (let start = 0; start < ids.length; start += TENANTS_PER_PASS) {
    const chunk = ids.slice(start, start + TENANTS_PER_PASS);
    rows.push(...(await db.runAndRollBack(chunk, (tx) => tx.query<R>({ text, values }))));
  }
  return rows;
}
