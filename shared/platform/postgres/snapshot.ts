import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Row } from './database.js';
import type { SqlQuery } from './send.js';
import { buildAppSessionOptions } from './session.js';

/** A view of a tenant's data at one moment, for exports (docs/adr/0012-exports.md). */
export interface Snapshot {
  /**
   * PostgreSQL's process id of this session. `pg_stat_progress_copy` shows for this id how many
   * rows a COPY has sent.
   */
  readonly pid: number;
  query<R = Row>(query: SqlQuery): Promise<R[]>;
  /**
   * Returns the output of `copy (…) to stdout with (…)` as a stream of bytes, without an object per
   * row. The caller must read the stream to its end before the next query. A slow reader slows
   * PostgreSQL down but uses no memory.
   * @param query may have only strings, numbers, booleans and null as values. COPY accepts no
   * parameters, so the values become literals in the text
   * @param options for example `format csv, header`
   */
  copy(query: SqlQuery, options: string): Readable;
  /**
   * Ends the session immediately. PostgreSQL cancels the session's running query within about a
   * second. Safe to call again.
   */
  close(): Promise<void>;
}

export interface SnapshotOptions {
  /** URL of the primary or of a replica. */
  databaseUrl: string;
  tenantId: string;
  /** Further tenants whose rows the session sees. */
  otherTenantIds?: readonly string[];
  applicationName: string;
  queryTimeoutMs: number;
}

/**
 * Opens a session with a REPEATABLE READ, read-only transaction of a tenant. The session is not
 * from the pool, because it lasts minutes, plans queries over whole tables and has its own timeout.
 */
export async function openSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  const client = new pg.Client({
    connectionString: options.databaseUrl,
    application_name: options.applicationName,
    connectionTimeoutMillis: 3000,
    keepAlive: true,
    // Without keep-alive probes a session that only reads would not notice a vanished server.
    keepAliveInitialDelayMillis: 10_000,
    options: buildAppSessionOptions(options.databaseUrl, { keyed: false }),
  });
  // A lost connection also rejects the pending query. Without a listener, this event would end the
  // process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin transaction isolation level repeatable read read only');
    const settings = [
      ['app.tenant_ids', [options.tenantId, ...(options.otherTenantIds ?? [])].join(',')],
      ['statement_timeout', String(options.queryTimeoutMs)],
      // 0 turns this timeout off, so that a slow reader does not lose the snapshot.
      ['idle_in_transaction_session_timeout', '0'],
      ['jit', 'off'],
      // Allow a longer wait for locks than in a request, because a migration may lock a table for
      // long.
      ['lock_timeout', '60000'],
      // PostgreSQL checks once a second whether close() has closed the connection, even while a
      // query waits for a lock. If so, PostgreSQL cancels the query.
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

  async query<R>({ text, values = [] }: SqlQuery): Promise<R[]> {
    return (await this.client.query(text, values as unknown[])).rows as R[];
  }

  copy(query: SqlQuery, options: string): Readable {
    return this.client.query(copyTo(`copy (${insertLiterals(query)}) to stdout with (${options})`));
  }

  async close(): Promise<void> {
    // Close the socket first. With `end()` alone, PostgreSQL would send the rest of a running COPY
    // before it ends the session.
    const { stream } = (this.client as unknown as { connection: { stream: Socket } }).connection;
    stream.destroy();
    await this.client.end().catch(() => undefined);
  }
}

function insertLiterals({ text, values = [] }: SqlQuery): string {
  return text.replace(/\$(\d+)/g, (_whole, number) => {
    const value = values[Number(number) - 1];
    return value === null || value === undefined ? 'null' : pg.escapeLiteral(String(value));
  });
}
