import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { ConfigError } from '../../config/config.js';
import { getErrorCode, markFailedConnect } from '../errors.js';

const REMEDY =
  "Name PostgreSQL's own host and port instead. Every process keeps a pool of its own (DATABASE_POOL_SIZE).";

/**
 * The number of connection pairs to compare. A single pair can fail to reveal a shared session,
 * because another client may take the shared session between the two connections.
 */
const PAIRS = 3;

/**
 * Refuses a connection pooler such as PgBouncer between this process and PostgreSQL. A session has
 * the application's role, timeouts and prepared statements. A session of the queue also receives
 * notifications. A pooler would share one session between processes.
 * @throws {ConfigError} if `setting` leads to a pooler
 * @throws the driver's error if PostgreSQL is unreachable
 */
export async function assertDirectConnection(databaseUrl: string, setting = 'DATABASE_URL'): Promise<void> {
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const problem = await findPoolerProblem(databaseUrl);
    if (problem)
      throw new ConfigError([
        `${setting} leads to a connection pooler such as PgBouncer, which ${problem}. ${REMEDY}`,
      ]);
  }
}

/**
 * Returns a description of how the server differs from PostgreSQL, or undefined if there is no
 * pooler.
 */
async function findPoolerProblem(databaseUrl: string): Promise<string | undefined> {
  const probe = randomBytes(8).toString('hex');
  const clients: pg.Client[] = [];
  const connect = async () => {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'tow-start',
      connectionTimeoutMillis: 3000,
      query_timeout: 5000,
      options: `-c tow.probe=${probe}`,
    });
    // A lost connection also rejects the pending query, so this event needs no handling.
    client.on('error', () => undefined);
    clients.push(client);
    await client.connect();
    const { rows } = await client.query<{ probe: string | null; pid: number }>(
      "select current_setting('tow.probe', true) as probe, pg_backend_pid() as pid",
    );
    return rows[0];
  };
  try {
    const first = await connect();
    if (first?.probe !== probe) return "drops the session's role and settings";
    const second = await connect();
    if (second?.probe !== probe) return "drops the session's role and settings";
    return first.pid === second.pid ? 'shares one session among several connections' : undefined;
  } catch (error) {
    if (isRefusedOption(error)) return "refuses the session's role and settings";
    throw markFailedConnect(error);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

/**
 * True if a pooler refused the startup option. By default, PgBouncer accepts only a few startup
 * parameters.
 */
function isRefusedOption(error: unknown): boolean {
  return (
    getErrorCode(error) === '08P01' &&
    error instanceof Error &&
    /unsupported startup parameter/i.test(error.message)
  );
}
