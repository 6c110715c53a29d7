import type { Transaction } from '../../platform/postgres/database.js';
import type { ClockTarget } from './clock-command.js';

/**
 * Builds SQL that reads rows of this transaction's accounts round-robin: the first row of each
 * account, then the second of each. If the caller adds a limit, an account with many rows does not
 * delay the others.
 * @param rows a query over `t` (tenants) for the tenant_id and id of one account's rows, most
 *   urgent first. The query needs a limit, because PostgreSQL reads all of its rows before it sorts
 *   them round-robin
 */
export function buildRoundRobinSql(rows: string): string {
  return `select due.*, t.environment
    from unnest(string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) as own(tenant_id)
    join tenants t on t.tenant_id = own.tenant_id
    cross join lateral (select found.*, row_number() over () as round from (${rows}) found) due
    order by due.round`;
}

export interface RoundRobinQuery {
  name: string;
  /**
   * Like `rows` of {@link buildRoundRobinSql}, but without a limit. {@link findRowsRoundRobin}
   * applies `limit` to the rows of each account, and then to all rows together. So if only one
   * account has rows, that account can use the whole limit.
   */
  rows: string;
  /**
   * The maximum number of rows. It must be at least the number of accounts in a transaction.
   * Otherwise the last accounts would wait until the others have no rows left.
   */
  limit: number;
}

export function findRowsRoundRobin<Row extends ClockTarget>(
  tx: Transaction,
  { name, rows, limit }: RoundRobinQuery,
): Promise<Row[]> {
  return tx.query<Row>({ name, text: `${buildRoundRobinSql(`${rows} limit $1`)} limit $1`, values: [limit] });
}
