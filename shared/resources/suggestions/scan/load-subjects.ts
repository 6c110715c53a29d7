import type { Transaction } from '../../../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from '../../../records/record-refs.js';
import { DUPLICATE_WINDOW_DAYS } from '../detectors/catalogue.js';
import type { BilledWorkOrder, DetectionSubject, PossibleDuplicate } from '../detectors/facts.js';
import { loadBillingRules } from './load-rules.js';

/**
 * Comparable work orders are at most this old. For each service, at most the newest `HISTORY_JOBS`
 * are read.
 */
const HISTORY = '180 days';
const HISTORY_JOBS = 300;
/** These words in notes show that a winch was used. */
const WINCH_WORDS = '\\m(winch|ditch|embankment|ravine|stuck|mud|rolled over|rollover|off the road)';
/**
 * Detectors do not compare with invoices in these statuses. Such invoices are unfinished, void or
 * cancelled.
 */
const NOT_BILLED = `('draft', 'needs_review', 'void', 'cancelled')`;

const LINES = `(select coalesce(json_agg(json_build_object('name', l.name, 'category', l.category, 'quantity', l.quantity, 'unit_type', l.unit_type,
    'unit_price_cents', l.unit_price_cents, 'total_cents', l.total_cents, 'taxable', l.taxable) order by l.position), '[]'::json)
  from invoice_line_items l where l.tenant_id = i.tenant_id and l.invoice_id = i.id)`;

/**
 * SQL for the categories that other invoices of the work order charge. Void and cancelled invoices
 * do not count. A work order may have several invoices, because storage is billed repeatedly and
 * separately from the tow.
 */
const BILLED_ELSEWHERE = `(select coalesce(json_agg(distinct l.category), '[]'::json)
  from (select n.tenant_id, n.id from invoices n where n.tenant_id = i.tenant_id and n.work_order_id = i.work_order_id
          and n.id <> i.id and n.status not in ('void', 'cancelled') offset 0) n
  join invoice_line_items l on l.tenant_id = n.tenant_id and l.invoice_id = n.id)`;

/**
 * The drive of a cancelled work order is measured too, but what is billed for it is no tow: the way
 * to the scene, or a flat fee.
 */
const IS_TOWED = `w.status = 'completed'`;

/**
 * SQL for the columns of a {@link BilledWorkOrder} from `invoices i`, `work_orders w`,
 * `customers c` and the local time of dispatch `d.at`.
 */
const FACTS = `
  i.id as invoice_id, i.invoice_number, w.id as work_order_id, w.service_type, c.company_type, i.subtotal_cents, w.miles,
  case when ${IS_TOWED} then w.driven_loaded_miles::float8 end as driven_miles,
  case when ${IS_TOWED} then w.driven_loaded_coverage::float8 end as driven_coverage, w.driven_loaded_source as driven_source,
  extract(epoch from w.driven_measured_at)::text as driven_measured_at,
  extract(epoch from w.completion_time - w.dispatch_time)::float8 / 60 as minutes,
  case when d.at is null then null
       when extract(hour from d.at) >= 21 or extract(hour from d.at) < 6 then 'night'
       when extract(isodow from d.at) >= 6 then 'weekend'
       when extract(hour from d.at) >= 18 then 'evening' end as off_hours,
  coalesce(w.notes ~* '${WINCH_WORDS}', false) as mentions_winch,
  floor(extract(epoch from i.created_at - w.completion_time)::float8 / 86400)::int as held_days,
  ${LINES} as lines, ${BILLED_ELSEWHERE} as billed_elsewhere`;

/**
 * SQL that adds the local time of dispatch. The account's time zone determines whether a dispatch
 * was after hours.
 */
const LOCAL_DISPATCH = `cross join lateral (select w.dispatch_time at time zone t.time_zone as at) d`;

/**
 * Loads the facts that the detectors need about the invoices. The queries get the tenant id in each
 * row of their parameters. With a constant tenant id, the planner would read whole tenants instead
 * of single rows.
 */
export async function loadDetectionSubjects(
  tx: Transaction,
  tenantId: string,
  invoiceIds: readonly string[],
): Promise<DetectionSubject[]> {
  const refs = invoiceIds.map((id) => ({ tenant_id: tenantId, id }));
  const [jobs, twins, rules] = await Promise.all([
    readJobs(tx, refs),
    readTwins(tx, refs),
    loadBillingRules(tx, refs),
  ]);
  const rulesByInvoice = new Map(rules.map((one) => [one.invoice_id, one]));
  const services = [...new Set(jobs.flatMap(({ service_type: service }) => service ?? []))];
  const history = await readHistory(tx, tenantId, services);
  return jobs.map((job) => ({
    job,
    cardItems: rulesByInvoice.get(job.invoice_id)?.cardItems ?? null,
    impound: rulesByInvoice.get(job.invoice_id)?.impound ?? undefined,
    coverage: rulesByInvoice.get(job.invoice_id)?.coverage ?? undefined,
    history: history.filter(({ service_type: service }) => service === job.service_type),
    possibleDuplicates: twins.filter(({ of }) => of === job.invoice_id),
  }));
}

function readJobs(tx: Transaction, refs: RecordRef[]): Promise<BilledWorkOrder[]> {
  return tx.query<BilledWorkOrder>({
    name: 'watched-jobs',
    text: `select ${FACTS}
           from ${recordsetSql('tenant_id uuid, id uuid', 'own')}
           ${joinRow('invoices', 'i', 'x.id = own.id')}
           join tenants t on t.tenant_id = i.tenant_id
           left ${joinRow('work_orders', 'w', 'x.id = i.work_order_id')}
           left ${joinRow('customers', 'c', 'x.id = i.customer_id')}
           ${LOCAL_DISPATCH}`,
    values: [JSON.stringify(refs)],
  });
}

function readHistory(
  tx: Transaction,
  tenantId: string,
  services: readonly string[],
): Promise<BilledWorkOrder[]> {
  if (services.length === 0) return Promise.resolve([]);
  return tx.query<BilledWorkOrder>({
    name: 'watched-history',
    text: `select ${FACTS}
           from ${recordsetSql('tenant_id uuid, service_type text', 'own')}
           join tenants t on t.tenant_id = own.tenant_id
           cross join lateral (
             select * from work_orders o where o.tenant_id = own.tenant_id and o.service_type = own.service_type
               and o.created_at > now() - interval '${HISTORY}'
             order by o.created_at desc, o.id desc limit ${HISTORY_JOBS}
           ) w
           cross join lateral (
             select * from (select * from invoices x where x.tenant_id = own.tenant_id and x.work_order_id = w.id offset 0) b
             where b.status not in ${NOT_BILLED} order by b.created_at desc, b.id desc limit 1
           ) i
           left ${joinRow('customers', 'c', 'x.id = i.customer_id')}
           ${LOCAL_DISPATCH}
           order by w.created_at desc, w.id desc`,
    values: [JSON.stringify(services.map((service_type) => ({ tenant_id: tenantId, service_type })))],
  });
}

const WINDOW = `interval '${DUPLICATE_WINDOW_DAYS} days'`;

/**
 * Returns SQL that joins the rows that match `key` in the tenant of `own`. The `offset 0` keeps the
 * planner from reversing the join. On a young table without statistics, a reversed join would read
 * all rows of the tenant.
 */
function joinRow(table: string, alias: string, key: string): string {
  return `join lateral (select * from ${table} x where x.tenant_id = own.tenant_id and ${key} offset 0) ${alias} on true`;
}

/**
 * Finds possible duplicates: earlier invoices within {@link DUPLICATE_WINDOW_DAYS} that have the
 * same total. They must also have the same work order, or the same customer and vehicle. Void and
 * cancelled invoices do not count as duplicates.
 */
function readTwins(tx: Transaction, refs: RecordRef[]): Promise<(PossibleDuplicate & { of: string })[]> {
  const isTwin = `o.id <> i.id and o.total_cents = i.total_cents and o.status not in ('void', 'cancelled')
    and (o.created_at, o.id) < (i.created_at, i.id) and o.created_at > i.created_at - ${WINDOW}`;
  const columns = `i.id as of, o.id as invoice_id, o.invoice_number, o.total_cents,
    floor(extract(epoch from i.created_at - o.created_at)::float8 / 86400)::int as days_apart`;
  return tx.query<PossibleDuplicate & { of: string }>({
    name: 'watched-twins',
    text: `select ${columns}, 'job' as shares
           from ${recordsetSql('tenant_id uuid, id uuid', 'own')}
           ${joinRow('invoices', 'i', 'x.id = own.id')}
           ${joinRow('invoices', 'o', 'x.work_order_id = i.work_order_id')}
           where i.total_cents > 0 and ${isTwin}
           union all
           select ${columns}, 'vehicle' as shares
           from ${recordsetSql('tenant_id uuid, id uuid', 'own')}
           ${joinRow('invoices', 'i', 'x.id = own.id')}
           ${joinRow('invoices', 'o', `x.customer_id = i.customer_id and x.created_at > i.created_at - ${WINDOW} and x.created_at <= i.created_at`)}
           left ${joinRow('work_orders', 'w', 'x.id = i.work_order_id')}
           left ${joinRow('work_orders', 'v', 'x.id = o.work_order_id')}
           where i.total_cents > 0 and ${isTwin}
             and ((length(w.vin) = 17 and w.vin = v.vin)
               or ((w.vin is null or v.vin is null) and lower(i.vehicle_description) = lower(o.vehicle_description)))
           order by days_apart, invoice_id`,
    values: [JSON.stringify(refs)],
  });
}
