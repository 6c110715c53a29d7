import { createRequire } from 'node:module';
import pg from 'pg';
import { corkConnection, type SqlQuery } from './send.js';

/** Converts a value as pg does for its own queries. pg has no types for this function. */
const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils.js') as {
  prepareValue: (value: unknown) => unknown;
};

/**
 * The parts of a pg connection that this file uses. pg has no public types for these parts. The
 * version of pg is pinned, and test/integration/platform/query-groups.test.ts checks the behaviour.
 */
interface Wire {
  parsedStatements: Record<string, string | undefined>;
  submittedNamedStatements: Record<string, string | undefined>;
  parse(message: { name: string | undefined; text: string }): void;
  bind(message: { portal: string; statement: string | undefined; values: unknown[] }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: { portal: string }): void;
  sync(): void;
}

interface QueryHandlers {
  name: string | undefined;
  text: string;
  _result: { _types: unknown };
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
  handleEmptyQuery(wire: Wire): void;
  handleReadyForQuery(wire: Wire): void;
  handleError(error: Error, wire: Wire): void;
}

type Settle = (error: Error | null, result: pg.QueryResult) => void;

/** pg's own class, with the methods that its types omit. */
const Query = pg.Query as unknown as new (
  config: SqlQuery,
  values: undefined,
  settle: Settle,
) => QueryHandlers;

class GroupedQuery extends Query {
  /** True if this query asked PostgreSQL to prepare its name. */
  private isPreparing = false;
  private readonly boundValues: unknown[];

  /**
   * @param ignoresRows true if the caller needs no rows; PostgreSQL then sends no description of
   *   the rows
   * @throws if pg cannot convert a value
   */
  constructor(
    sql: SqlQuery,
    settle: Settle,
    private readonly ignoresRows: boolean,
  ) {
    super(sql, undefined, settle);
    // Convert the values before the group sends its first protocol message. An error in the middle
    // of a group would leave the connection unusable.
    this.boundValues = (sql.values ?? []).map((value) => prepareValue(value));
  }

  /** Sends the protocol messages of this query, but no Sync. */
  send(wire: Wire): void {
    const { name, text } = this;
    if (findPrepared(wire, name) === undefined) {
      wire.parse({ name, text });
      if (name) {
        wire.submittedNamedStatements[name] = text;
        this.isPreparing = true;
      }
    }
    wire.bind({ portal: '', statement: name, values: this.boundValues });
    if (!this.ignoresRows) wire.describe({ type: 'P', name: '' });
    wire.execute({ portal: '' });
  }

  override handleDataRow(message: unknown): void {
    if (!this.ignoresRows) super.handleDataRow(message);
  }

  /**
   * Fails this query. Forgets its prepared name, because PostgreSQL may have skipped the
   * preparation.
   */
  fail(error: Error, wire: Wire): void {
    if (this.name && this.isPreparing) delete wire.submittedNamedStatements[this.name];
    this.handleError(error, wire);
  }
}

/** Returns the text that is or will be prepared under this name. */
function findPrepared(wire: Wire, name: string | undefined): string | undefined {
  return name ? (wire.parsedStatements[name] ?? wire.submittedNamedStatements[name]) : undefined;
}

/**
 * Queries that are sent before a single Sync (PostgreSQL manual, Message Flow, Pipelining).
 * PostgreSQL answers each Sync, often in a network packet of its own. Without `begin`, the group is
 * a transaction of its own. If a query fails, PostgreSQL skips the rest of the group, and all
 * skipped queries fail with the same error. A group must not contain `copy … from stdin`, which
 * would wait for data for ever.
 */
export class QueryGroup extends Query {
  private readonly queries: GroupedQuery[] = [];
  /** The index of the query whose answer comes next. */
  private position = 0;

  constructor() {
    super({ text: '' }, undefined, () => undefined);
  }

  /**
   * Adds a query. Rejects if the query fails, or if pg cannot convert a value.
   * @param options.ignoresRows true if the caller needs no rows
   */
  add(sql: SqlQuery, { ignoresRows = false } = {}): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      const settle: Settle = (error, result) => (error ? reject(error) : resolve(result));
      this.queries.push(new GroupedQuery(sql, settle, ignoresRows));
    });
  }

  /** Sends the group over this connection, after everything that was sent before. */
  sendOver(client: pg.ClientBase): void {
    corkConnection(client);
    client.query(this as unknown as pg.Submittable);
  }

  /**
   * Sends the group. pg calls this when the connection is ready for it. If this function returns an
   * error, pg fails the group.
   */
  submit(wire: Wire): Error | null {
    const texts = new Map<string, string>();
    for (const { name, text } of this.queries) {
      const prepared = name && (texts.get(name) ?? findPrepared(wire, name));
      if (prepared && prepared !== text) return new Error(`another query is prepared as ${name}`);
      if (name) texts.set(name, text);
    }
    for (const query of this.queries) {
      query._result._types = this._result._types;
      query.send(wire);
    }
    wire.sync();
    this.nameCurrentQuery();
    return null;
  }

  override handleRowDescription(message: unknown): void {
    this.queries[this.position]?.handleRowDescription(message);
  }

  override handleDataRow(message: unknown): void {
    this.queries[this.position]?.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    this.queries[this.position]?.handleCommandComplete(message, wire);
    this.settleCurrentQuery(wire);
  }

  /** PostgreSQL sends a different response to an empty query. */
  override handleEmptyQuery(wire: Wire): void {
    this.settleCurrentQuery(wire);
  }

  override handleError(error: Error, wire: Wire): void {
    const failed = this.queries.slice(this.position);
    this.position = this.queries.length;
    for (const query of failed) query.fail(error, wire);
    // Call the callback of pg, which stops the timer of pg's query_timeout.
    super.handleError(error, wire);
  }

  override handleReadyForQuery(wire: Wire): void {
    // Normally, a response or an error has settled every query by now. If pg or PostgreSQL behave
    // in an unknown way, fail the remaining queries, so that no caller waits for ever.
    for (const query of this.queries.slice(this.position))
      query.fail(new Error('PostgreSQL sent no answer to this query'), wire);
    super.handleReadyForQuery(wire);
  }

  private settleCurrentQuery(wire: Wire): void {
    const query = this.queries[this.position];
    this.position += 1;
    this.nameCurrentQuery();
    // pg settles a query when PostgreSQL is ready for the next one.
    query?.handleReadyForQuery(wire);
  }

  /**
   * Names the group after the current query. When PostgreSQL has prepared the query, pg stores the
   * query's text under this name.
   */
  private nameCurrentQuery(): void {
    const current = this.queries[this.position];
    this.name = current?.name;
    this.text = current?.text ?? '';
  }
}
