import type { Transaction } from '../../platform/postgres/database.js';
import { insertOperations } from '../../sync/operation-rows.js';
import { BOOKED_PAYMENT_KIND, INVOICE_KIND } from './kinds.js';
import { insertBookings, toOperation, wasBookedSql } from './store.js';

/** The invoices and payments that one request writes again. */
const MAX_REPEATED = 5_000;

/** What was released or paid since a time (`$2`), with the time (`at`) by which it is sorted. */
export const WANTED_SQL = `paid as (
    select p.id, p.invoice_id, p.received_at from payments p
    where p.tenant_id = $1 and p.received_at >= $2 and p.status = 'succeeded'
      and p.provider is distinct from (select c.vendor from connections c where c.tenant_id = $1 and c.id = $3)),
  first_paid as (select p.invoice_id, min(p.received_at) as received_at from paid p group by p.invoice_id),
  wanted as (
    select true as is_invoice, i.id, i.customer_id,
      least(case when i.released_at >= $2 then i.released_at end, f.received_at) as at
    from invoices i left join first_paid f on f.invoice_id = i.id
    where i.tenant_id = $1 and (i.released_at >= $2 or f.invoice_id is not null)
      and (i.status not in ('void', 'cancelled') or ${wasBookedSql('i', `'${INVOICE_KIND}'`)})
    union all
    select false, p.id, null, p.received_at from paid p)`;

export interface BookedPage {
  /** The number of invoices and payments. */
  pushed: number;
  /** The time of the first one that was left out; null if there is none. */
  nextSince: string | null;
}

/**
 * Stores operations that enter in the books every invoice released, and every payment received
 * since a time, with the invoices of these payments. None is entered twice: the worker looks for
 * the record first, or the vendor refuses a second one. Writes some 5,000 records at most.
 */
export async function bookSince(
  tx: Transaction,
  { tenantId: tenant_id, connectionId: connection_id }: { tenantId: string; connectionId: string },
  since: string,
): Promise<BookedPage> {
  const rows = await tx.query<{ is_invoice: boolean; id: string; customer_id: string | null }>({
    name: 'find-records-to-book',
    // Records of the same time stay together, so that the next page can begin at a time.
    text: `with ${WANTED_SQL} select w.is_invoice, w.id, w.customer_id from wanted w
           order by w.at fetch first ${MAX_REPEATED} rows with ties`,
    values: [tenant_id, since, connection_id],
  });
  const [next] = await tx.query<{ at: string | null }>({
    name: 'find-next-to-book',
    text: `with ${WANTED_SQL} select to_json(w.at)#>>'{}' as at from wanted w
           where w.at > (select max(l.at) from (select o.at from wanted o order by o.at fetch first ${MAX_REPEATED} rows with ties) l)
           order by w.at limit 1`,
    values: [tenant_id, since, connection_id],
  });
  const books = { tenant_id, connection_id };
  await insertBookings(
    tx,
    rows.filter((row) => row.is_invoice).map(({ id, customer_id }) => ({ ...books, id, customer_id })),
  );
  await insertOperations(
    tx,
    rows.filter((row) => !row.is_invoice).map(({ id }) => toOperation({ ...books, id }, BOOKED_PAYMENT_KIND)),
  );
  return { pushed: rows.length, nextSince: next?.at ?? null };
}
