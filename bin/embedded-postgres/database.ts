import { Client } from 'pg';
import { findErrorCode } from './process.js';

/**
 * The name of the role that the application logs in with, and of the database that the role owns.
 */
export const OWNER_ROLE = 'tow';

const CONNECT_TIMEOUT_MS = 2_000;
/**
 * Error codes while the server starts or stops: no listener, a broken connection, and SQLSTATEs.
 * 57P01 to 57P03 mean shutdown or not ready yet, 53300 means too many connections.
 */
const STARTING_OR_STOPPING_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
  '53300',
];

/** Builds a URL for a role and the database of the same name. The password must be URL-safe. */
export function buildDatabaseUrl(role: string, password: string, port: number): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${role}`;
}

function makeClient(url: string): Client {
  const client = new Client({
    connectionString: url,
    ssl: false,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: 30_000,
  });
  // Without a listener for errors, a lost connection would end this process. With this listener,
  // only the next query fails.
  client.on('error', () => undefined);
  return client;
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = makeClient(url);
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end();
  }
}

/**
 * Resolves with true if the server answers a query, and with false while it is starting or
 * stopping.
 * @throws for problems that waiting does not solve, such as a wrong password (SQLSTATE 28P01)
 */
export async function canAnswerQueries(url: string): Promise<boolean> {
  try {
    await withClient(url, (client) => client.query('SELECT 1'));
    return true;
  } catch (error) {
    if (STARTING_OR_STOPPING_CODES.includes(findErrorCode(error) ?? '')) return false;
    // Check the text, because pg sets no error code for a timeout, or for a connection that was
    // closed during the handshake.
    if (error instanceof Error && /timeout|^Connection terminated/.test(error.message)) return false;
    throw error;
  }
}

/**
 * Creates the role `tow` and its database `tow`. If they exist, resets the role's privileges and
 * password, and the database's owner. The role must own the database to create tables. Since
 * PostgreSQL 15, only the owner may create objects in the schema public.
 */
export async function ensureOwnerDatabase(superuserUrl: string, password: string): Promise<void> {
  await withClient(superuserUrl, async (client) => {
    const role = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [OWNER_ROLE]);
    // The role gets neither SUPERUSER nor BYPASSRLS, so that row-level security applies to it.
    const privileges = 'LOGIN CREATEROLE NOSUPERUSER NOBYPASSRLS NOREPLICATION NOCREATEDB';
    // CREATE ROLE and ALTER ROLE accept no query parameters, so the password is escaped here.
    await client.query(
      `${role.rowCount === 0 ? 'CREATE' : 'ALTER'} ROLE ${OWNER_ROLE} ${privileges} PASSWORD ${client.escapeLiteral(password)}`,
    );
    const database = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [OWNER_ROLE]);
    await client.query(
      database.rowCount === 0
        ? `CREATE DATABASE ${OWNER_ROLE} OWNER ${OWNER_ROLE}`
        : `ALTER DATABASE ${OWNER_ROLE} OWNER TO ${OWNER_ROLE}`,
    );
  });
}
