import type { Transaction } from '../../platform/postgres/database.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';

/**
 * Updates the `billing_status` of work orders from their invoices (docs/decisions.md §2). A work
 * order cancelled as goa (gone on arrival) or unsuccessful may be billed to its customer; any other
 * cancelled work order may not. Call this function in the transaction that changed the work order
 * or one of its invoices.
 */
export async function refreshBillingStatus(tx: Transaction, refs: RecordRef[]): Promise<void> {
  if (refs.length === 0) return;
  await tx.query({
    name: 'refresh-billing',
    text: `update work_orders w set billing_status = next.billing_status
           from (
             select j.tenant_id, j.id, coalesce(
               (select case
                  when i.status in ('draft', 'needs_review', 'approved') then 'invoiced'
                  when i.status in ('partially_paid', 'paid', 'disputed') then i.status
                  else 'billed' end
                from invoices i
                where i.tenant_id = j.tenant_id and i.work_order_id = j.id and i.status not in ('void', 'cancelled')
                order by i.created_at desc, i.id desc limit 1),
               case when j.status = 'completed' then 'ready_to_bill'
                    when j.status = 'cancelled' and j.cancel_reason in ('goa', 'unsuccessful') and j.customer_id is not null then 'ready_to_bill'
                    when j.status = 'cancelled' then 'not_billable'
                    else 'unbilled' end) as billing_status
             from ${recordsetSql('tenant_id uuid, id uuid')} join work_orders j on j.tenant_id = r.tenant_id and j.id = r.id
           ) next
           where w.tenant_id = next.tenant_id and w.id = next.id and w.billing_status <> next.billing_status`,
    values: [JSON.stringify(refs)],
  });
}

/** Finds the work orders that have a released invoice. */
export async function findReleased(tx: Transaction, refs: RecordRef[]): Promise<Set<string>> {
  const rows = await tx.query<RecordRef>({
    name: 'released-jobs',
    text: `select distinct r.tenant_id, r.id from ${recordsetSql('tenant_id uuid, id uuid')}
           join invoices i on i.tenant_id = r.tenant_id and i.work_order_id = r.id and i.released_at is not null`,
    values: [JSON.stringify(refs)],
  });
  return new Set(rows.map(refKey));
}
