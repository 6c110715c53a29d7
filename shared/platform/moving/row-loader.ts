import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Row } from '../postgres/database.js';
import type { SqlQuery } from '../postgres/send.js';
import { buildAppSessionOptions } from '../postgres/session.js';

/** A transaction that loads rows of one account with COPY (docs/guides/cells.md). */
export interface RowLoader {
  query<R = Row>(query: SqlQuery): Promise<R[]>;
  /** Copies rows in COPY's text format into a table or a temporary table. */
  copyIn(target: string, rows: Readable): Promise<void>;
  /** Writes the result of a query without parameters in COPY's text format to `sink`. */
  copyOut(query: string, sink: Writable): Promise<void>;
}

interface LoaderOptions {
  databaseUrl: string;
  tenantIds: readonly string[];
}

/** Limits a single query. Loading the largest table of an account takes minutes at most. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000;

/**
 * Runs `work` in one transaction of its own session, in the application's role, which sees only the
 * rows of these tenants. Rolls back if `work` throws.
 */
export async function loadRows<T>(
  { databaseUrl, tenantIds }: LoaderOptions,
  work: (loader: RowLoader) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'tow-restore',
    connectionTimeoutMillis: 3000,
    keepAlive: true,
    options: buildAppSessionOptions(databaseUrl, { keyed: false }),
  });
  // A lost connection also rejects the pending query, so this event needs no handling.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin');
    const settings = [
      ['app.tenant_ids', tenantIds.join(',')],
      ['statement_timeout', String(STATEMENT_TIMEOUT_MS)],
      ['idle_in_transaction_session_timeout', '0'],
    ];
    for (const setting of settings) await client.query('select set_config($1, $2, true)', setting);
    const result = await work({
      query: async ({ text, values = [] }) => (await client.query(text, values)).rows,
      copyIn: (target, rows) =>
        pipeline(rows, client.query(copyFrom(`copy ${target} from stdin with (format text)`))),
      copyOut: (query, sink) =>
        pipeline(client.query(copyTo(`copy (${query}) to stdout with (format text)`)), sink),
    });
    await client.query('commit');
    return result;
  } finally {
    // Ends the session, which rolls back a transaction that is still open.
    await client.end().catch(() => undefined);
  }
}
