import type pg from 'pg';
import { QueryGroup } from './query-group.js';
import { type SqlQuery, traceQuery } from './send.js';

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
