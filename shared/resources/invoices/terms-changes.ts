import type { Transaction } from '../../platform/postgres/database.js';
import { recordsetSql } from '../../records/record-refs.js';
import type { RowSweep } from '../../records/sweeps/schedule.js';
import { CAN_BECOME_OVERDUE } from './overdue-sweep.js';

const CUSTOMERS_PER_PASS = 100;

/**
 * SQL for the time at which the invoice is due by the customer's current terms. The value is null
 * if the account's terms apply to the customer.
 */
const OWN_TERMS_DUE_AT = `i.released_at + interval '24 hours' * c.terms_days`;

const STALE_INVOICES = `customers c join invoices i on i.tenant_id = c.tenant_id and i.customer_id = c.id
  and ${CAN_BECOME_OVERDUE} and i.own_terms_due_at is distinct from ${OWN_TERMS_DUE_AT}`;

interface CustomerRef {
  tenant_id: string;
  customer_id: string;
}

/**
 * Updates `own_terms_due_at` of open invoices whose customer's terms have changed. One call updates
 * at most `limit` invoices, because a single customer may have thousands.
 * Applies a change only after all transactions that could have read the old terms have ended.
 * Before that, the update could not see the invoices that those transactions create.
 * @returns how many invoices were changed
 */
export async function applyTermsChanges(tx: Transaction, limit: number): Promise<number> {
  const [customers] = await Promise.all([
    tx.query<CustomerRef>({
      name: 'settled-terms-changes',
      text: `select q.tenant_id, q.customer_id from terms_changes q
             where q.tenant_id = any (string_to_array(current_setting('app.tenant_ids'), ',')::uuid[])
               and q.settled_after <= pg_snapshot_xmin(pg_current_snapshot())
             order by q.settled_after limit ${CUSTOMERS_PER_PASS}`,
    }),
    tx.query({
      name: 'settle-terms-changes',
      text: `update terms_changes q set settled_after = pg_snapshot_xmax(pg_current_snapshot())
             where q.tenant_id = any (string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) and q.settled_after is null`,
    }),
  ]);
  if (customers.length === 0) return 0;
  const [changed] = await Promise.all([
    updateTermsDueDates(tx, customers, limit),
    tx.query({
      name: 'forget-terms-changes',
      text: `delete from terms_changes q using ${recordsetSql('tenant_id uuid, customer_id uuid')}
             where q.tenant_id = r.tenant_id and q.customer_id = r.customer_id and q.settled_after is not null
               and not exists (select from ${STALE_INVOICES} where c.tenant_id = q.tenant_id and c.id = q.customer_id)`,
      values: [JSON.stringify(customers)],
    }),
  ]);
  return changed;
}

/**
 * Updates `own_terms_due_at` of at most `limit` invoices of these customers. Keeps `updated_at`,
 * because clients do not see `own_terms_due_at`. Leaves rows that are locked now to the next pass.
 */
async function updateTermsDueDates(
  tx: Transaction,
  customers: readonly CustomerRef[],
  limit: number,
): Promise<number> {
  const rows = await tx.query({
    name: 'reckon-own-terms',
    text: `update invoices n set own_terms_due_at = s.due_at
           from (select i.tenant_id, i.id, ${OWN_TERMS_DUE_AT} as due_at
                 from ${recordsetSql('tenant_id uuid, customer_id uuid')} cross join ${STALE_INVOICES}
                 where c.tenant_id = r.tenant_id and c.id = r.customer_id
                 limit $2 for update of i skip locked) s
           where n.tenant_id = s.tenant_id and n.id = s.id returning n.id`,
    values: [JSON.stringify(customers), limit],
  });
  return rows.length;
}

/**
 * Updates the due dates of invoices after their customer's terms have changed, so that the overdue
 * sweep finds the invoices in time.
 */
export const termsSweep: RowSweep = {
  name: 'apply-terms',
  everyMs: 10_000,
  changeRows: applyTermsChanges,
  limit: 5_000,
};
