import type { Socket } from 'node:net';
import type pg from 'pg';
import { corkUntilNextTick } from '../cork-until-next-tick.js';
import { inSpan, SpanKind } from '../tracing.js';

export type Row = Record<string, unknown>;

export interface SqlQuery {
  /** If set, each connection prepares the query once under this name. */
  name?: string;
  text: string;
  values?: unknown[];
  /** PostgreSQL cancels the read after this time. A read with a timeout has its own connection. */
  timeoutMs?: number;
  /**
   * True for a read by primary key. Such a read never counts as slow, even if this process was too
   * busy to receive the result promptly. It therefore never waits for the tenant's slow reads.
   */
  isKeyLookup?: true;
}

/**
 * Makes all queries of one callback share one system call. By itself, pg corks its socket only for
 * each single query, so a batch took eleven system calls (measured).
 */
export function corkConnection(client: pg.ClientBase): void {
  // pg has no public type for its connection; the version is pinned.
  corkUntilNextTick((client as unknown as { connection: { stream: Socket } }).connection.stream);
}

/**
 * Runs a query in a span. The span does not record the query's values, because they are tenant
 * data.
 */
export function traceQuery(query: SqlQuery, run: () => Promise<pg.QueryResult>): Promise<pg.QueryResult> {
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': query.text };
  return inSpan(query.name ?? 'sql', { kind: SpanKind.CLIENT, attributes }, run);
}

export function sendQuery(client: pg.ClientBase, query: SqlQuery): Promise<pg.QueryResult> {
  return traceQuery(query, () => {
    corkConnection(client);
    return client.query(query);
  });
}
