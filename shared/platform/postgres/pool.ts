import pg from 'pg';
import type { Logger } from '../logger.js';
import { buildAppSessionOptions } from './session.js';

// Parse bigint (20) and numeric (1700) as numbers, because both are JSON numbers in the API. All
// bigint columns contain cents or counters, far below 2^53. All numeric columns contain quantities.
pg.types.setTypeParser(20, Number);
pg.types.setTypeParser(1700, Number);

export interface PoolOptions {
  databaseUrl: string;
  poolSize: number;
  applicationName: string;
  logger: Logger;
  /** Maximum age of a connection; without it, connections last until they fail. */
  connectionSeconds?: number;
}

/**
 * Opens a pool, which connects on first use. Errors of idle connections are logged, never thrown.
 */
export function openPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    max: options.poolSize,
    application_name: options.applicationName,
    connectionTimeoutMillis: 3000,
    keepAlive: true,
    pipeline: true,
    maxLifetimeSeconds: options.connectionSeconds ?? 0,
    options: buildAppSessionOptions(options.databaseUrl, { keyed: true }),
  });
  pool.on('error', (error) => {
    // Ignore lost connections while closing. pool.end() does not wait until its connections have
    // closed, so a stopping server may cut them.
    if (pool.ending) return;
    // pg attaches the client to the error. The client would fill pages of the log entry.
    Reflect.deleteProperty(error, 'client');
    options.logger.warn({ err: error }, 'postgres connection lost');
  });
  // PostgreSQL may end a connection in the packet that opens it. The pool has then handed out the
  // client, but `checkOut` has not run yet. Without this listener, the error would end the process.
  // The client's next query reports the lost connection.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
