/**
 * A scan reads only invoices in these statuses, because such invoices can still be corrected or
 * taken back. The list must match the condition of the partial index, or PostgreSQL does not use
 * the index.
 */
const SCANNED_STATUSES = `('draft', 'needs_review', 'approved', 'sending', 'sent_to_roadsync')`;
/** The first scan of an account covers this period. */
const FIRST_SCAN_PERIOD = '30 days';
/**
 * The last part of the previous scan's period, which the next scan reads again. A transaction may
 * commit some minutes after the `updated_at` that it wrote, so the previous scan may have missed
 * the transaction's changes.
 */
export const OVERLAP = '5 minutes';

const SINCE = `coalesce(m.looked_until - interval '${OVERLAP}', now() - interval '${FIRST_SCAN_PERIOD}')`;

/**
 * Returns SQL for the version that the invoice had at its last scan; '-infinity' if no scan has
 * read the invoice. On tables without statistics, a join instead of this subquery would make the
 * planner read all rows of a tenant.
 */
function scannedVersion(alias: string): string {
  return `coalesce((select k.version from detector_looks k where k.tenant_id = ${alias}.tenant_id and k.invoice_id = ${alias}.id), '-infinity')`;
}

/**
 * SQL that selects the invoices of tenant `own` that changed since the last scan. `m` is the
 * tenant's row in `detector_marks`, which holds the time of that scan. Before the first scan, the
 * row is missing.
 */
const CHANGED_INVOICES = `
  select i.id, i.updated_at as changed_at,
    greatest(i.updated_at, (select w.updated_at from work_orders w where w.tenant_id = i.tenant_id and w.id = i.work_order_id)) as version
  from invoices i
  where i.tenant_id = own.tenant_id and i.status in ${SCANNED_STATUSES} and i.updated_at > ${SINCE}
    and ${scannedVersion('i')} < i.updated_at
  order by i.updated_at, i.id`;
/**
 * SQL that selects the invoices whose work order changed since the last scan. Once the invoice is
 * released, most changes of the work order no longer concern it. The `offset 0` makes the planner
 * find the invoices by the index on their work order.
 */
const CHANGED_JOBS = `
  select i.id, w.updated_at as changed_at, greatest(i.updated_at, w.updated_at) as version from work_orders w
  cross join lateral (select * from invoices x where x.tenant_id = w.tenant_id and x.work_order_id = w.id offset 0) i
  where w.tenant_id = own.tenant_id and w.billing_status = 'invoiced' and w.updated_at > ${SINCE} and i.status in ${SCANNED_STATUSES}
    and ${scannedVersion('i')} < w.updated_at
  order by w.updated_at, w.id`;

/**
 * SQL that selects the invoices whose impound was released, or changed after that, since the last
 * scan.
 */
const RELEASED_IMPOUNDS = `
  select i.id, p.updated_at as changed_at, greatest(i.updated_at, p.updated_at) as version from impounds p
  cross join lateral (select * from invoices x where x.tenant_id = p.tenant_id and x.work_order_id = p.work_order_id offset 0) i
  where p.tenant_id = own.tenant_id and p.released_at is not null and p.updated_at > ${SINCE} and i.status in ${SCANNED_STATUSES}
    and ${scannedVersion('i')} < p.updated_at
  order by p.updated_at, p.id`;

/**
 * SQL that selects the invoices whose work order's drive was measured since the last scan, also
 * those that were released before.
 */
const MEASURED_DRIVES = `
  select i.id, w.driven_measured_at as changed_at, greatest(i.updated_at, w.updated_at) as version from work_orders w
  cross join lateral (select * from invoices x where x.tenant_id = w.tenant_id and x.work_order_id = w.id offset 0) i
  where w.tenant_id = own.tenant_id and w.driven_measured_at > ${SINCE} and i.status in ${SCANNED_STATUSES}
    and ${scannedVersion('i')} < w.driven_measured_at
  order by w.driven_measured_at, w.id`;

/**
 * SQL that selects the other invoices of the work orders of which an invoice became void or
 * cancelled since the last scan. What that invoice billed is missing now.
 */
const SIBLINGS_OF_VOIDED = `
  select i.id, v.updated_at as changed_at, greatest(i.updated_at, v.updated_at) as version from invoices v
  cross join lateral (select * from invoices x where x.tenant_id = v.tenant_id and x.work_order_id = v.work_order_id offset 0) i
  where v.tenant_id = own.tenant_id and v.status in ('void', 'cancelled') and v.work_order_id is not null
    and v.updated_at > ${SINCE} and i.status in ${SCANNED_STATUSES} and ${scannedVersion('i')} < v.updated_at
  order by v.updated_at, v.id`;

/**
 * Queries for the invoices of tenant `own` to scan, oldest change first. Each has an index of its
 * own.
 */
export const CHANGE_SOURCES = [
  CHANGED_INVOICES,
  CHANGED_JOBS,
  RELEASED_IMPOUNDS,
  MEASURED_DRIVES,
  SIBLINGS_OF_VOIDED,
] as const;
