import { Client } from 'pg';
import { findErrorCode } from './process.js';

/** Name of the role that the application logs in with, and of the database that the role owns. */
export const OWNER_ROLE = 'tow';

const CONNECT_TIMEOUT_MS = 2_000;
/**
 * Failures while the server starts or stops: no listener, a broken connection, SQLSTATEs 57P01 to
 * 57P03 (shutdown, cannot connect now) and 53300 (too many connections).
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

/** The role and its database have the same name. The password must be URL-safe. */
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
  // The next query fails with the same reason, so a lost connection needs no handling here.
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
 * Returns false while the server is starting.
 * @throws for problems that waiting does not solve, such as a wrong password (SQLSTATE 28P01)
 */
export async function canAnswerQueries(url: string): Promise<boolean> {
  try {
    await withClient(url, (client) => client.query('SELECT 1'));
    return true;
  } catch (error) {
    if (STARTING_OR_STOPPING_CODES.includes(findErrorCode(error) ?? '')) return false;
    // pg reports timeouts, and connections closed during the handshake, without an error code.
    if (error instanceof Error && /timeout|^Connection terminated/.test(error.message)) return false;
    throw error;
  }
}

/**
 * Creates the role `tow`, or resets its privileges and password, and creates its database `tow`. In
 * PostgreSQL 15 or later, the owner of a database may create objects in its schema public.
 */
export async function ensureOwnerDatabase(superuserUrl: string, password: string): Promise<void> {
  await withClient(superuserUrl, async (client) => {
    const role = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [OWNER_ROLE]);
    // Row-level security must apply to this role, hence neither SUPERUSER nor BYPASSRLS.
    const privileges = 'LOGIN CREATEROLE NOSUPERUSER NOBYPASSRLS NOREPLICATION NOCREATEDB';
    // CREATE ROLE and ALTER ROLE take no parameters.
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
