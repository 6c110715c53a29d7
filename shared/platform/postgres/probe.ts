import pg from 'pg';
import { getErrorCode } from '../errors.js';
import {
  describeConnectionError,
  PROBE_TIMEOUT_MS,
  StartError,
  TransientStartError,
} from '../start-failure.js';

/**
 * Connects to PostgreSQL once.
 * @throws {TransientStartError} if PostgreSQL refuses now but may accept the connection later
 * @throws {StartError} if the user, the password or the database is wrong
 */
export async function probePostgres(databaseUrl: string): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'tow-start',
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
  });
  // A lost connection also rejects the pending call, so this event needs no handling.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw describePostgresRefusal(error, new URL(databaseUrl)) ?? new TransientStartError(error);
  } finally {
    // Not awaited: ending a client that never connected can take long.
    client.end().catch(() => undefined);
  }
}

/**
 * SQLSTATEs for a wrong user or password. MISSING_PASSWORD matches the error that pg itself reports
 * for a missing password.
 */
const WRONG_LOGIN = ['28P01', '28000'];
const MISSING_PASSWORD = /password must be a (non-empty )?string/;

function describePostgresRefusal(error: unknown, { username, pathname }: URL): StartError | undefined {
  const code = getErrorCode(error);
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
