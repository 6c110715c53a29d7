import type { Transaction } from '../platform/postgres/database.js';
import { type RecordRef, recordsetSql, refKey } from '../records/record-refs.js';
import { EFFECTIVE_DUE_DATE } from './effective-due-date.js';

/**
 * The SQL condition for an invoice that is past due (docs/decisions.md §3). The query must contain
 * {@link PAST_DUE_JOINS}.
 * - With a due date: that day and the grace days have ended in the account's time zone.
 * - Without a due date: the payment terms and the grace days have passed since the release.
 * - Never while the invoice is `sent_to_roadsync` with a submitted or accepted motor-club claim,
 *   because the customer does not have to pay yet.
 */
export const IS_PAST_DUE = `
  now() >= case
    when i.due_date is not null
      then ((i.due_date at time zone t.time_zone)::date + 1 + t.grace_days)::timestamp at time zone t.time_zone
    else ${EFFECTIVE_DUE_DATE} + make_interval(days => t.grace_days)
  end
  and not (i.status = 'sent_to_roadsync' and exists (select from claims m
    where m.tenant_id = i.tenant_id and m.invoice_id = i.id and m.status in ('submitted', 'accepted')))`;

/** The SQL of the joins that {@link IS_PAST_DUE} needs in addition to `invoices i`. */
export const PAST_DUE_JOINS = `
  join tenants t on t.tenant_id = i.tenant_id
  left join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id`;

/** Returns the {@link refKey} of each invoice that is past due. */
export async function findPastDue(tx: Transaction, refs: RecordRef[]): Promise<Set<string>> {
  if (refs.length === 0) return new Set();
  const rows = await tx.query<RecordRef>({
    name: 'past-due-invoices',
    text: `select i.tenant_id, i.id from ${recordsetSql('tenant_id uuid, id uuid')}
           join invoices i on i.tenant_id = r.tenant_id and i.id = r.id ${PAST_DUE_JOINS}
           where ${IS_PAST_DUE}`,
    values: [JSON.stringify(refs)],
  });
  return new Set(rows.map(refKey));
}
