import type { Socket } from 'node:net';
import type pg from 'pg';
import { inSpan, SpanKind } from '../tracing.js';

export type Row = Record<string, unknown>;

export interface SqlQuery {
  /** If set, each connection prepares the query once under this name. */
  name?: string;
  text: string;
  values?: unknown[];
  /** PostgreSQL cancels the read after this time. A read with a timeout has its own connection. */
  timeoutMs?: number;
}

/**
 * Buffers the queries of this connection until the end of the event-loop tick. Several queries then
 * need one system call. By itself, pg corks its socket only for the duration of each query, so a
 * batch took eleven system calls (measured).
 */
export function corkUntilNextTick(client: pg.ClientBase): void {
  // pg has no public type for its connection; the version is pinned.
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
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
    corkUntilNextTick(client);
    return client.query(query);
  });
}
