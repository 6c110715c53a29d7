import pg from 'pg';
import { corkUntilNextTick, type SqlQuery, sendQuery, traceQuery } from './send.js';

export interface SettingQuery extends SqlQuery {
  name: string;
  values: string[];
}

/**
 * The parts of a pg connection that this file uses. pg has no public types for these parts. The
 * version of pg is pinned, and test/integration/platform/shared-reads.test.ts checks the behaviour.
 */
interface Wire {
  parsedStatements: Record<string, string | undefined>;
  bind(message: { portal: string; statement: string; values: string[] }): void;
  execute(message: { portal: string }): void;
}

function getWire(client: pg.ClientBase): Wire {
  return (client as unknown as { connection: Wire }).connection;
}

function isPrepared(client: pg.ClientBase, name: string): boolean {
  return getWire(client).parsedStatements[name] !== undefined;
}

interface QueryHandlers {
  prepare(wire: Wire): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
}

/** pg's own class, with the methods that its types omit. */
const Query = pg.Query as unknown as new (
  config: SqlQuery & { queryMode: 'extended' },
  values: undefined,
  callback: (error: Error | null, result: pg.QueryResult) => void,
) => pg.Submittable & QueryHandlers;

/**
 * A query that runs after a setting query, in the same transaction. Both are sent before a single
 * Sync message, so PostgreSQL runs them as one implicit transaction (PostgreSQL manual, Message
 * Flow, Extended Query). A read thus needs neither begin nor commit. It takes one round trip
 * instead of four.
 */
class QueryWithSetting extends Query {
  private isSet = false;

  constructor(
    private readonly setting: SettingQuery,
    config: SqlQuery,
    callback: (error: Error | null, result: pg.QueryResult) => void,
  ) {
    // Force the extended protocol. pg would send a query without values as a
    // simple query and omit the setting.
    super({ ...config, queryMode: 'extended' }, undefined, callback);
  }

  override prepare(wire: Wire): void {
    wire.bind({ portal: '', statement: this.setting.name, values: this.setting.values });
    wire.execute({ portal: '' });
    super.prepare(wire);
  }

  /** Ignores the setting's result row, which pg could not parse without a row description. */
  override handleDataRow(message: unknown): void {
    if (this.isSet) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.isSet) super.handleCommandComplete(message, wire);
    this.isSet = true;
  }
}

function queryWithSetting(
  client: pg.ClientBase,
  setting: SettingQuery,
  query: SqlQuery,
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    corkUntilNextTick(client);
    client.query(
      new QueryWithSetting(setting, query, (error, result) => (error ? reject(error) : resolve(result))),
    );
  });
}

/** Runs the first read on a connection, which must also prepare the setting query. */
async function queryInSteps(
  client: pg.ClientBase,
  setting: SettingQuery,
  query: SqlQuery,
): Promise<pg.QueryResult> {
  corkUntilNextTick(client);
  const results = await Promise.allSettled([
    client.query('begin'),
    client.query(setting),
    sendQuery(client, query),
    client.query('commit'),
  ]);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  const [, , select] = results as PromiseFulfilledResult<pg.QueryResult>[];
  return select?.value as pg.QueryResult;
}

/**
 * Applies the setting and runs the query, both in one transaction. No other query on this
 * connection runs between the two.
 */
export function readWithSetting(
  client: pg.ClientBase,
  setting: SettingQuery,
  query: SqlQuery,
): Promise<pg.QueryResult> {
  return isPrepared(client, setting.name)
    ? traceQuery(query, () => queryWithSetting(client, setting, query))
    : queryInSteps(client, setting, query);
}
