/**
 * A scan reads only invoices in these statuses, because such invoices can still be corrected or
 * taken back. The list must match the condition of the partial index, or PostgreSQL does not use
 * the index.
 */
const SCANNED_STATUSES = `('draft', 'needs_review', 'approved', 'sending', 'sent_to_roadsync')`;
/** In these statuses, the customer has not got the invoice yet. */
export const UNRELEASED_STATUSES = `('draft', 'needs_review', 'approved')`;
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
 * Returns SQL that selects the invoices whose work order a changed row of another table concerns.
 * The version is never before the change, or each scan would find the change again.
 * The `offset 0` makes the planner find the invoices by the index on their work order.
 */
function selectInvoicesOf({
  table,
  workOrderId,
  changedAt = 'r.updated_at',
  condition,
}: {
  table: string;
  workOrderId: string;
  changedAt?: string;
  condition: string;
}): string {
  return `
  select i.id, ${changedAt} as changed_at, greatest(i.updated_at, r.updated_at, ${changedAt}) as version from ${table} r
  cross join lateral (select * from invoices x where x.tenant_id = r.tenant_id and x.work_order_id = ${workOrderId} offset 0) i
  where r.tenant_id = own.tenant_id and ${condition} and ${changedAt} > ${SINCE} and i.status in ${SCANNED_STATUSES}
    and ${scannedVersion('i')} < ${changedAt}
  order by ${changedAt}, r.id`;
}

/** Once the invoice is released, most changes of the work order no longer concern it. */
const CHANGED_WORK_ORDERS = selectInvoicesOf({
  table: 'work_orders',
  workOrderId: 'r.id',
  condition: "r.billing_status = 'invoiced'",
});

/** Impounds that were released, or changed after that. */
const RELEASED_IMPOUNDS = selectInvoicesOf({
  table: 'impounds',
  workOrderId: 'r.work_order_id',
  condition: 'r.released_at is not null',
});

/** Also of invoices that were released before the drive was measured. */
const MEASURED_DRIVES = selectInvoicesOf({
  table: 'work_orders',
  workOrderId: 'r.id',
  changedAt: 'r.driven_measured_at',
  condition: 'r.driven_measured_at is not null',
});

/** What an invoice billed that became void or cancelled is missing on the others. */
const SIBLINGS_OF_VOIDED = selectInvoicesOf({
  table: 'invoices',
  workOrderId: 'r.work_order_id',
  condition: "r.status in ('void', 'cancelled') and r.work_order_id is not null",
});

/**
 * Returns SQL that selects the unreleased invoices of the customers `c` after a change of their
 * coverage, or of the rate cards that say which miles are free.
 */
function selectCoveredInvoices(changed: string, changedAt: string): string {
  return `
  select i.id, ${changedAt} as changed_at, greatest(i.updated_at, ${changedAt}) as version from ${changed}
  cross join lateral (select * from invoices x where x.tenant_id = c.tenant_id and x.customer_id = c.id
                        and x.status in ${UNRELEASED_STATUSES} offset 0) i
  where c.tenant_id = own.tenant_id and ${changedAt} > ${SINCE} and ${scannedVersion('i')} < ${changedAt}
  order by ${changedAt}, i.id`;
}

/** Also if the customer now covers everything, because open suggestions must then close. */
const CHANGED_COVERAGES = selectCoveredInvoices('customers c', 'c.coverage_changed_at');

const NEW_RATE_CARDS = selectCoveredInvoices(
  `(select tenant_id, max(created_at) as created_at from rate_cards where tenant_id = own.tenant_id group by tenant_id) k
   join customers c on c.tenant_id = k.tenant_id and c.coverage_changed_at is not null and c.coverage is not null`,
  'k.created_at',
);

/**
 * Queries for the invoices of tenant `own` to scan, oldest change first. Each has an index of its
 * own.
 */
export const CHANGE_SOURCES = [
  CHANGED_INVOICES,
  CHANGED_WORK_ORDERS,
  RELEASED_IMPOUNDS,
  MEASURED_DRIVES,
  SIBLINGS_OF_VOIDED,
  CHANGED_COVERAGES,
  NEW_RATE_CARDS,
] as const;
