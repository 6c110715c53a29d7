import type pg from 'pg';
import { QueryGroup } from './query-group.js';
import { type SqlQuery, traceQuery } from './send.js';

/** Builds the query that applies `setting` to a transaction and makes the transaction read-only. */
export function createReadSetting(name: string, setting: string, values: string[]): SqlQuery {
  return { name, text: `select ${setting}, set_config('transaction_read_only', 'on', true)`, values };
}

/**
 * Applies the setting and runs the query in one transaction. No other query on this connection runs
 * between the setting and the query. Both form one {@link QueryGroup}, so a read needs no begin and
 * no commit. The read takes one round trip instead of four.
 * @param setting must apply to its transaction only
 */
export function readWithSetting(
  client: pg.ClientBase,
  setting: SqlQuery,
  query: SqlQuery,
): Promise<pg.QueryResult> {
  return traceQuery(query, () => {
    const group = new QueryGroup();
    // If the setting fails, the query fails with the same error.
    group.add(setting, { ignoresRows: true }).catch(() => undefined);
    const result = group.add(query);
    group.sendOver(client);
    return result;
  });
}
