import pg from 'pg';
import { gatherSends, type Statement, send, traced } from './postgres-send.js';

/** Makes a setting for the rest of its transaction. */
export interface Setting extends Statement {
  name: string;
  values: string[];
}

/** What pg lets its queries use of a connection. It has no public types for it; the version is pinned and test/integration/shared-reads.test.ts watches it. */
interface Wire {
  parsedStatements: Record<string, string | undefined>;
  bind(message: { portal: string; statement: string; values: string[] }): void;
  execute(message: { portal: string }): void;
}

function wireOf(client: pg.ClientBase): Wire {
  return (client as unknown as { connection: Wire }).connection;
}

/** True when the connection has parsed a statement of this name. */
function isPrepared(client: pg.ClientBase, name: string): boolean {
  return wireOf(client).parsedStatements[name] !== undefined;
}

interface QueryHandlers {
  prepare(wire: Wire): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
}

/** pg's own class with the methods that its types leave out. */
const Query = pg.Query as unknown as new (
  config: Statement & { queryMode: 'extended' },
  values: undefined,
  callback: (error: Error | null, result: pg.QueryResult) => void,
) => pg.Submittable & QueryHandlers;

/**
 * A query that makes a setting for its own transaction first. Both go before one Sync, which makes them one implicit transaction (PostgreSQL, Message
 * Flow, Extended Query): no begin, no commit, one round of messages instead of four.
 */
class QueryWithSetting extends Query {
  private isSet = false;

  constructor(
    private readonly setting: Setting,
    config: Statement,
    callback: (error: Error | null, result: pg.QueryResult) => void,
  ) {
    // Always by messages of its own: a text without values would otherwise go as a simple query, and the setting would not go at all.
    super({ ...config, queryMode: 'extended' }, undefined, callback);
  }

  override prepare(wire: Wire): void {
    wire.bind({ portal: '', statement: this.setting.name, values: this.setting.values });
    wire.execute({ portal: '' });
    super.prepare(wire);
  }

  /** The setting's own row comes undescribed. */
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
  setting: Setting,
  statement: Statement,
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    gatherSends(client);
    client.query(
      new QueryWithSetting(setting, statement, (error, result) => (error ? reject(error) : resolve(result))),
    );
  });
}

/** For the first read of a connection: it prepares the setting. */
async function queryInSteps(
  client: pg.ClientBase,
  setting: Setting,
  statement: Statement,
): Promise<pg.QueryResult> {
  gatherSends(client);
  const results = await Promise.allSettled([
    client.query('begin'),
    client.query(setting),
    send(client, statement),
    client.query('commit'),
  ]);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  const [, , select] = results as PromiseFulfilledResult<pg.QueryResult>[];
  return select?.value as pg.QueryResult;
}

/** Runs one statement in a transaction of its own under a setting. Others may send theirs on this connection at once: nothing comes in between. */
export function readWithSetting(
  client: pg.ClientBase,
  setting: Setting,
  statement: Statement,
): Promise<pg.QueryResult> {
  return isPrepared(client, setting.name)
    ? traced(statement, () => queryWithSetting(client, setting, statement))
    : queryInSteps(client, setting, statement);
}
