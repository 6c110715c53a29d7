import type { Socket } from 'node:net';
import type pg from 'pg';
import { inSpan, SpanKind } from '../tracing.js';

export type Row = Record<string, unknown>;

export interface SqlQuery {
  /** If set, each connection prepares the query once under this name. */
  name?: string;
  text: string;
  values?: unknown[];
  /** PostgreSQL cancels a slow read after this time. Such a read never shares a connection. */
  timeoutMs?: number;
}

/**
 * Buffers what is sent on this connection until the end of the event-loop tick, so that several
 * queries need one system call. pg corks its socket for each query alone, which took eleven
 * system calls for a batch (measured).
 */
export function corkUntilNextTick(client: pg.ClientBase): void {
  // pg has no public type for its connection; the version is pinned.
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** The span does not record values, because they are tenant data. */
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
