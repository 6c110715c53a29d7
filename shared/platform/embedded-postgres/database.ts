/** What is said to the server over SQL: whether it answers, and the role and database of the application. */
import { Client } from 'pg';
import { errorCode } from './process.js';

/** Name of the application's role and of the database it owns. */
export const OWNER = 'tow';

const CONNECT_TIMEOUT_MS = 2_000;
/**
 * Failures of a server that is on its way up or down: nobody listens, the connection broke, or SQLSTATE class 57P0x
 * (manual, "PostgreSQL Error Codes": admin/crash shutdown, cannot connect now), 53300 too many connections.
 */
const NOT_YET = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03', '53300'];

/** URL of a role's database on the embedded server. The password must be URL-safe. */
export function databaseUrl(role: string, password: string, port: number): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${role}`;
}

function makeClient(url: string): Client {
  const client = new Client({
    connectionString: url,
    ssl: false,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: 30_000,
  });
  // A connection lost while idle is only an event; the next query fails with the same reason.
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
 * Whether the server answers a query; false while it is starting.
 * @throws for anything that waiting does not cure, such as a wrong password (SQLSTATE 28P01)
 */
export async function answersQueries(url: string): Promise<boolean> {
  try {
    await withClient(url, (client) => client.query('SELECT 1'));
    return true;
  } catch (error) {
    if (NOT_YET.includes(errorCode(error) ?? '')) return false;
    // pg reports timeouts and connections closed during the handshake without a code.
    if (error instanceof Error && /timeout|^Connection terminated/.test(error.message)) return false;
    throw error;
  }
}

/**
 * Creates, or resets to its rights and password, the role `tow`, and the database `tow` it owns. The owner of a
 * database may use and create in its schema public (PostgreSQL 15+: owned by pg_database_owner).
 */
export async function ensureOwnerDatabase(superuserUrl: string, password: string): Promise<void> {
  await withClient(superuserUrl, async (client) => {
    const role = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [OWNER]);
    // Row level security must bind this role, hence neither SUPERUSER nor BYPASSRLS.
    const rights = 'LOGIN CREATEROLE NOSUPERUSER NOBYPASSRLS NOREPLICATION NOCREATEDB';
    // Statements of this kind take no parameters.
    await client.query(
      `${role.rowCount === 0 ? 'CREATE' : 'ALTER'} ROLE ${OWNER} ${rights} PASSWORD ${client.escapeLiteral(password)}`,
    );
    const database = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [OWNER]);
    await client.query(
      database.rowCount === 0
        ? `CREATE DATABASE ${OWNER} OWNER ${OWNER}`
        : `ALTER DATABASE ${OWNER} OWNER TO ${OWNER}`,
    );
  });
}
