import type { Socket } from 'node:net';
import type pg from 'pg';
import { inSpan, SpanKind } from './tracing.js';

export type Row = Record<string, unknown>;

export interface Statement {
  /** Set: the statement is prepared once per connection under this name. */
  name?: string;
  text: string;
  values?: unknown[];
  /**
   * Set on a read that may be slow: PostgreSQL ends it after this time, and it never shares a
   * connection with other reads.
   */
  timeoutMs?: number;
}

/**
 * Holds what is sent on this connection until the end of the turn, so that statements issued without waiting for each other leave in one system call.
 * pg corks its socket for each statement alone: eleven calls for a batch (measured).
 */
export function gatherSends(client: pg.ClientBase): void {
  // pg has no public type for its connection; the version is pinned.
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** A statement in a span when traces are on. Its values are not recorded: they are the tenants' own. */
export function traced(statement: Statement, query: () => Promise<pg.QueryResult>): Promise<pg.QueryResult> {
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': statement.text };
  return inSpan(statement.name ?? 'sql', { kind: SpanKind.CLIENT, attributes }, query);
}

/** Sends one statement. */
export function send(client: pg.ClientBase, statement: Statement): Promise<pg.QueryResult> {
  return traced(statement, () => {
    gatherSends(client);
    return client.query(statement);
  });
}
