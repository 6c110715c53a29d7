import type { Transaction } from '../platform/postgres/database.js';
import { isInSessionTenants } from './session-tenants.js';

/** The retention of operations and of idempotency keys (docs/decisions.md §5). */
export const RETENTION = "interval '24 hours'";
/** The retention of rows that must outlive the operations and responses that refer to them. */
export const EXTENDED_RETENTION = "interval '25 hours'";

/**
 * Defines which rows of a table have expired. The folder that writes the table defines the rule.
 */
export interface ExpiryRule {
  table: string;
  /** SQL condition on a row with the alias `o`. */
  condition: string;
}

/**
 * Deletes at most `limit` expired rows per table, for this transaction's tenants. Returns how many
 * rows it deleted.
 */
export async function deleteExpiredRows(
  tx: Transaction,
  rules: readonly ExpiryRule[],
  limit: number,
): Promise<number> {
  const deletions = rules.map(({ table, condition }) =>
    tx.query<{ count: number }>({
      text: `with gone as (
               delete from ${table} where ctid = any (array(
                 select ctid from ${table} o where ${isInSessionTenants('o')} and ${condition} limit ${limit}))
               returning 1)
             select count(*)::int as count from gone`,
    }),
  );
  const counts = await Promise.all(deletions);
  return counts.reduce((sum, [row]) => sum + (row?.count ?? 0), 0);
}
