/** SQL: days that a vehicle has stood until then, in that time zone; a calendar day that has started counts, the first and the last one too. */
export function startedDays(alias: string, { until, zone }: { until: string; zone: string }): string {
  return `((${until} at time zone ${zone})::date - (${alias}.impounded_at at time zone ${zone})::date + 1)`;
}

/** SQL: of them those that are charged. Over `t` tenants. */
export function chargedDays(alias: string, until: string): string {
  return `greatest(0, ${startedDays(alias, { until, zone: 't.time_zone' })} - ${alias}.free_days)`;
}

/** SQL: days that storage is charged for now, over `i` impounds and `t` tenants. What has accrued is never taken back by the clock. */
export const STORAGE_DUE = `(case when i.released_at is not null then i.accrued_days
  else greatest(i.accrued_days, ${chargedDays('i', 'now()')}) end)`;

/**
 * SQL: days of storage on the living invoices of the job that `alias.work_order_id` names. Told by the invoices themselves, so that a day which is voided,
 * cancelled or taken off a draft is open again, without anybody having to give it back.
 */
export function invoicedDays(alias: string): string {
  return `(select coalesce(ceil(sum(l.quantity)), 0)::int from invoices n
    join invoice_line_items l on l.tenant_id = n.tenant_id and l.invoice_id = n.id and l.category = 'storage' and l.unit_type = 'day'
    where n.tenant_id = ${alias}.tenant_id and n.work_order_id = ${alias}.work_order_id and n.status not in ('void', 'cancelled'))`;
}

/** A client's clock may be this far ahead of ours. */
export const CLOCK_SKEW = "interval '1 minute'";
