import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Row } from './postgres.js';
import type { Statement } from './postgres-send.js';
import { appSessionOptions } from './postgres-session.js';

/** What a tenant's data was at one moment, for whoever reads much of it (design/performance.md, Exports). */
export interface Snapshot {
  /** Process id of its session: `pg_stat_progress_copy` tells by it how many rows a COPY has sent. */
  readonly pid: number;
  query<R = Row>(statement: Statement): Promise<R[]>;
  /**
   * The output of `copy (…) to stdout with (…)` as the server sends it; no row becomes an object. It must be read to its end before anything else is asked here. Slow readers
   * slow PostgreSQL down, and cost no memory.
   * @param query its values are texts, numbers, booleans or null: COPY takes no parameters, so they are written into it as literals
   * @param options `format csv, header`
   */
  copy(query: Statement, options: string): Readable;
  /** Ends the session, and with it whatever it was doing, at once. May be called again. */
  close(): Promise<void>;
}

export interface SnapshotOptions {
  /** Of the primary or of a replica. */
  databaseUrl: string;
  tenantId: string;
  applicationName: string;
  /** Of one statement, in ms. */
  statementTimeoutMs: number;
}

/**
 * Opens a session of its own in a REPEATABLE READ, read-only transaction of one tenant. Not out of the pool: it lives for minutes, plans for whole tables and has a
 * timeout of its own.
 */
export async function openSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  const client = new pg.Client({
    connectionString: options.databaseUrl,
    application_name: options.applicationName,
    connectionTimeoutMillis: 3000,
    keepAlive: true,
    // It only reads: of a server that is gone without a word nothing else would tell.
    keepAliveInitialDelayMillis: 10_000,
    options: appSessionOptions(options.databaseUrl, { keyed: false }),
  });
  // A connection that is cut fails what is under way; without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin transaction isolation level repeatable read read only');
    const settings = [
      ['app.tenant_ids', options.tenantId],
      ['statement_timeout', String(options.statementTimeoutMs)],
      // A reader that pauses must not lose its snapshot.
      ['idle_in_transaction_session_timeout', '0'],
      ['jit', 'off'],
      // Whoever changes a table holds it longer than a request could wait.
      ['lock_timeout', '60000'],
      // Closing ends what runs at once, also what waits for a lock.
      ['client_connection_check_interval', '1000'],
    ];
    for (const setting of settings) await client.query('select set_config($1, $2, true)', setting);
    const [session] = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows;
    return new OpenSnapshot(client, session?.pid as number);
  } catch (error) {
    await client.end();
    throw error;
  }
}

class OpenSnapshot implements Snapshot {
  constructor(
    private readonly client: pg.Client,
    readonly pid: number,
  ) {}

  async query<R>({ text, values = [] }: Statement): Promise<R[]> {
    return (await this.client.query(text, values as unknown[])).rows as R[];
  }

  copy(query: Statement, options: string): Readable {
    return this.client.query(copyTo(`copy (${withLiterals(query)}) to stdout with (${options})`));
  }

  async close(): Promise<void> {
    // What is being copied would be sent to its end before the server reads a goodbye.
    const { stream } = (this.client as unknown as { connection: { stream: Socket } }).connection;
    stream.destroy();
    await this.client.end().catch(() => undefined);
  }
}

function withLiterals({ text, values = [] }: Statement): string {
  return text.replace(/\$(\d+)/g, (_whole, number) => {
    const value = values[Number(number) - 1];
    return value === null || value === undefined ? 'null' : pg.escapeLiteral(String(value));
  });
}
