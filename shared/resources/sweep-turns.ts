import type { Transaction } from '../platform/postgres.js';
import type { ClockTarget } from './clock-command.js';

/**
 * SQL: rows of this transaction's accounts in turns, the first of each account, then the second of
 * each. With a limit, one account with many rows does not keep the others waiting.
 * @param rows a query over `t` tenants that names tenant_id and id of one account's rows, the most
 * urgent first, and has a limit: all of them are read before the first turn is known
 */
export function takeTurns(rows: string): string {
  return `select due.*, t.environment
    from unnest(string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) as own(tenant_id)
    join tenants t on t.tenant_id = own.tenant_id
    cross join lateral (select found.*, row_number() over () as turn from (${rows}) found) due
    order by due.turn`;
}

export interface TurnsQuery {
  /** Name of the prepared statement. */
  name: string;
  /** As in {@link takeTurns}, without its limit: one account may fill the pass when it is alone. */
  rows: string;
  /**
   * Rows at most, so that one pass stays short. No fewer than the accounts of a transaction, or the
   * last of them would wait for the others to be done.
   */
  limit: number;
}

/** Rows of this transaction's accounts that a sweep has found, in turns by account. */
export function findInTurns<Row extends ClockTarget>(
  tx: Transaction,
  { name, rows, limit }: TurnsQuery,
): Promise<Row[]> {
  return tx.query<Row>({ name, text: `${takeTurns(`${rows} limit $1`)} limit $1`, values: [limit] });
}
