/**
 * Builds SQL for the number of calendar days that an impound has been in the yard up to the time
 * `until`. The first and the last day count in full. `alias` names a row of impounds.
 */
export function startedDays(alias: string, { until, zone }: { until: string; zone: string }): string {
  return `((${until} at time zone ${zone})::date - (${alias}.impounded_at at time zone ${zone})::date + 1)`;
}

/**
 * Builds SQL for the number of days in the yard up to the time `until`, minus the free days. The
 * query must name the table `t` (tenants).
 */
export function chargedDays(alias: string, until: string): string {
  return `greatest(0, ${startedDays(alias, { until, zone: 't.time_zone' })} - ${alias}.free_days)`;
}

/**
 * The SQL for the number of chargeable storage days up to the release or, before the release, up to
 * now. Never fewer than `accrued_days`. The query must name the tables `i` (impounds) and `t`
 * (tenants).
 */
export const STORAGE_DUE = `(case when i.released_at is not null then i.accrued_days
  else greatest(i.accrued_days, ${chargedDays('i', 'now()')}) end)`;

/**
 * Builds SQL for the number of storage days that the invoices of an impound's work order charge.
 * Days on void or cancelled invoices, or on removed line items, do not count, so they can be billed
 * again.
 */
export function invoicedDays(alias: string): string {
  return `(select coalesce(ceil(sum(l.quantity)), 0)::int from invoices n
    join invoice_line_items l on l.tenant_id = n.tenant_id and l.invoice_id = n.id and l.category = 'storage' and l.unit_type = 'day'
    where n.tenant_id = ${alias}.tenant_id and n.work_order_id = ${alias}.work_order_id and n.status not in ('void', 'cancelled'))`;
}

/** The SQL interval by which a client's clock may be ahead of PostgreSQL's clock. */
export const MAX_CLIENT_CLOCK_SKEW = "interval '1 minute'";
