import type { Transaction } from '../../../platform/postgres/database.js';
import { isInSessionTenants } from '../../../records/session-tenants.js';
import type { RowSweep } from '../../../records/sweeps/schedule.js';

/**
 * Deletes what ended comparisons have seen in the books. A comparison may see a million invoices,
 * so one query must not delete them all. A running comparison keeps its rows.
 */
export async function deleteSeenInvoices(tx: Transaction, limit: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>({
    name: 'delete-seen-book-invoices',
    text: `with gone as (
             delete from compared_book_invoices where ctid = any (array(
               select m.ctid from book_reconciliations o cross join lateral (
                 select c.ctid from compared_book_invoices c where c.tenant_id = o.tenant_id and c.connection_id = o.connection_id
                 limit $1) m
               where ${isInSessionTenants('o')} and o.status <> 'running' limit $1))
             returning 1)
           select count(*)::int as count from gone`,
    values: [limit],
  });
  return row?.count ?? 0;
}

export const seenInvoiceSweep: RowSweep = {
  name: 'delete-seen-book-invoices',
  everyMs: 60_000,
  changeRows: deleteSeenInvoices,
  limit: 5_000,
  repeatForMs: 5_000,
};
