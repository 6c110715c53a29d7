import { AGING_SUMS } from '../../billing/aging.js';
import { jsonObject, jsonTime } from '../../contracts/resource.js';
import { INVOICE_STATUSES } from '../../contracts/vocabulary.js';
import { firstIdAtSql } from '../../platform/id-times.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { webhookDeliveryRepresentation } from '../webhook-deliveries/representation.js';
import {
  MAX_AGED,
  MAX_COUNTED,
  MAX_COUNTED_OF_HOUR,
  MAX_FAILURES,
  MAX_KEYS,
  MAX_SAMPLED_OF_HOUR,
} from './limits.js';

/** The statuses of the index invoices_owed, as an SQL list. The index is sorted by customer. */
const OWED = `('sending', 'sent_to_roadsync', 'viewed', 'partially_paid', 'overdue', 'disputed', 'failed')`;

/** SQL that counts the work orders with this status. */
function countWorkOrdersSql(status: string): string {
  return `(select count(*)::int from (select from work_orders w
    where w.tenant_id = $1 and w.status = '${status}' limit ${MAX_COUNTED}) w)`;
}

/**
 * SQL for one row per status. The range and the sort order of this query fit only the index
 * invoices_status. With another index, PostgreSQL could read all invoices of this account.
 */
const BY_STATUS = `
  select s.position, s.status, n.count, n.total_cents, n.count = ${MAX_COUNTED} as has_more
  from unnest(array['${INVOICE_STATUSES.join("', '")}']) with ordinality s(status, position),
    lateral (select count(*)::int as count, coalesce(sum(i.total_cents), 0)::bigint as total_cents
      from (select i.total_cents from invoices i where i.tenant_id = $1 and i.status >= s.status and i.status <= s.status
        order by i.status, i.created_at desc, i.id desc limit ${MAX_COUNTED}) i) n`;

const STATUS = jsonObject('s', ['status', 'count', 'total_cents', 'has_more']);

/** The longest payment terms that customers and accounts can have. */
const MAX_TERMS_DAYS = 365;
/** The lower bound of each age group, in days past the due date, highest first. */
const AGES = [91, 61, 31, 1];

/** SQL for the starts of today and of the days before, in the account's time zone, newest first. */
const DAY_STARTS = `
  select array_agg(((now() at time zone $2)::date - ago)::timestamp at time zone $2 order by ago) as starts
  from generate_series(0, ${MAX_TERMS_DAYS + 90}) ago`;

/**
 * SQL for the open amounts by age. The query compares an invoice's release with the starts of days.
 * For example, an invoice with terms of 30 days is at least 10 days late if it was released before
 * the start of the day 39 days ago. This gives the same ages as a customer's account statement.
 * Computing each due date in the account's time zone would take five times as long (measured: 220
 * ms for 100,000 invoices instead of 40 ms).
 */
const OPEN_AMOUNTS = `
  select count(*) as open_count, count(*) filter (where o.status = 'overdue')::int as overdue_count,
    coalesce(sum(o.open_cents) filter (where o.status = 'overdue'), 0)::bigint as overdue_cents, ${AGING_SUMS}
  from (select i.status, i.balance_due_cents as open_cents,
      case ${AGES.map((days) => `when coalesce(i.due_date, i.released_at) < y.starts[n.terms_days + ${days}] then ${days}`).join(' ')} end as days
    from tenants t, day_starts y,
      lateral (select * from invoices i where i.tenant_id = t.tenant_id and i.status in ${OWED}
        order by i.customer_id limit ${MAX_AGED}) i,
      lateral (select case when i.due_date is not null then 0 else coalesce((select c.terms_days from customers c
        where c.tenant_id = i.tenant_id and c.id = i.customer_id), t.terms_days) end as terms_days) n
    -- Without the offset, PostgreSQL would compute the age of an invoice once per sum.
    where t.tenant_id = $1 offset 0) o`;

const AGING = jsonObject('m', [
  'current_cents',
  'days_1_30_cents',
  'days_31_60_cents',
  'days_61_90_cents',
  'over_90_cents',
]);

/**
 * SQL for the start and end of each hour, and for the range of ids of the hour's records. Hours are
 * full hours in the account's time zone, which may differ from UTC by half an hour.
 */
const HOURS = `
  select h.start, h.start + interval '1 hour' as finish, ${firstIdAtSql('h.start')} as first_id,
    ${firstIdAtSql("h.start + interval '1 hour'")} as end_id
  from (select date_trunc('hour', now(), $2) - make_interval(hours => ago) as start from generate_series(23, 0, -1) ago) h`;

/** SQL that counts the work orders and deliveries of each hour. */
const BY_HOUR = `
  select h.start, w.count as work_orders, d.succeeded, d.failed, p.durations
  from hours h,
    lateral (select count(*)::int as count from (select from work_orders w
      where w.tenant_id = $1 and w.created_at >= h.start and w.created_at < h.finish
      order by w.created_at desc, w.id desc limit ${MAX_COUNTED_OF_HOUR}) w) w,
    lateral (select (count(*) filter (where d.status = 'succeeded'))::int as succeeded,
        (count(*) filter (where d.status in ('failed', 'exhausted')))::int as failed
      from (select d.status from webhook_deliveries d
        where d.tenant_id = $1 and d.id >= h.first_id and d.id < h.end_id
        order by d.id desc limit ${MAX_COUNTED_OF_HOUR}) d) d,
    lateral (select percentile_disc(array[0.5, 0.95]) within group (order by a.total_ms) as durations
      from (select a.total_ms from webhook_attempts a
        where a.tenant_id = $1 and a.id >= h.first_id and a.id < h.end_id
        order by a.id desc limit ${MAX_SAMPLED_OF_HOUR}) a) p`;

const HOUR = jsonObject('b', [
  jsonTime('b', 'hour', 'b.start'),
  'work_orders',
  { name: 'deliveries_succeeded', sql: 'b.succeeded' },
  { name: 'deliveries_failed', sql: 'b.failed' },
  { name: 'attempts_p50_ms', sql: 'b.durations[1]' },
  { name: 'attempts_p95_ms', sql: 'b.durations[2]' },
]);

/**
 * SQL for the newest deliveries with this status. It uses the index of deliveries that did not
 * succeed.
 */
function newestDeliveriesSql(status: string): string {
  return `(select * from webhook_deliveries d where d.tenant_id = $1 and d.status = '${status}'
    order by d.id desc limit ${MAX_FAILURES})`;
}

const FAILURES = `
  select * from (${newestDeliveriesSql('failed')} union all ${newestDeliveriesSql('exhausted')}) d
  order by d.id desc limit ${MAX_FAILURES}`;

const existsSql = (table: string, condition = 'true') =>
  `exists (select from ${table} x where x.tenant_id = $1 and ${condition})`;

const hasKeySql = (condition: string) => `exists (select from keys k where ${condition})`;

const FIRST_STEPS = jsonObject('s', [
  { name: 'api_key_created', sql: hasKeySql("k.kind = 'api'") },
  { name: 'api_key_used', sql: hasKeySql("k.kind = 'api' and k.last_used_at is not null") },
  { name: 'agent_key_created', sql: hasKeySql("k.kind = 'agent'") },
  { name: 'agent_key_used', sql: hasKeySql("k.kind = 'agent' and k.last_used_at is not null") },
  { name: 'webhook_endpoint_created', sql: existsSql('webhook_endpoints') },
  // Use the last success that the endpoint's queue stores, because no index contains successful
  // deliveries.
  { name: 'webhook_delivered', sql: existsSql('webhook_lanes', 'x.last_success_at is not null') },
  { name: 'truck_created', sql: existsSql('trucks') },
  { name: 'work_order_created', sql: existsSql('work_orders') },
  { name: 'invoice_created', sql: existsSql('invoices') },
  { name: 'payment_recorded', sql: existsSql('payments') },
  { name: 'export_created', sql: existsSql('exports') },
  {
    name: 'approval_decided',
    sql: `(${existsSql('approvals', "x.status = 'approved'")} or ${existsSql('approvals', "x.status = 'rejected'")})`,
  },
]);

const WORK_ORDERS = jsonObject('w', [
  { name: 'open', sql: 'w.pending + w.dispatched + w.in_progress' },
  { name: 'unassigned', sql: 'w.pending' },
]);

const INVOICES = jsonObject('m', [
  { name: 'by_status', sql: `(select json_agg(${STATUS} order by s.position) from by_status s)` },
  'overdue_count',
  'overdue_cents',
  { name: 'aging', sql: AGING },
]);

const TEXT = `
  with hours as materialized (${HOURS}),
  by_hour as materialized (${BY_HOUR}),
  day_starts as materialized (${DAY_STARTS}),
  by_status as materialized (${BY_STATUS}),
  money as materialized (${OPEN_AMOUNTS}),
  keys as materialized (select kind, last_used_at from api_keys k where k.tenant_id = $1
    order by k.created_at desc, k.id desc limit ${MAX_KEYS}),
  work as materialized (select ${countWorkOrdersSql('pending')} as pending, ${countWorkOrdersSql('dispatched')} as dispatched,
    ${countWorkOrdersSql('in_progress')} as in_progress),
  ended as materialized (select sum(succeeded) as succeeded, sum(succeeded + failed) as all_ended, sum(work_orders) as work_orders from by_hour)
  select ${jsonObject('o', [
    jsonTime('o', 'generated_at', 'now()'),
    { name: 'work_orders', sql: `(select ${WORK_ORDERS} from work w)` },
    { name: 'invoices', sql: `(select ${INVOICES} from money m)` },
    { name: 'hours', sql: `(select json_agg(${HOUR} order by b.start) from by_hour b)` },
    {
      name: 'delivery_success_rate',
      sql: '(select round(e.succeeded::numeric / nullif(e.all_ended, 0), 4) from ended e)',
    },
    {
      name: 'last_failures',
      sql: `coalesce((select json_agg(${webhookDeliveryRepresentation('d')} order by d.id desc) from (${FAILURES}) d), '[]')`,
    },
    { name: 'first_steps', sql: `(select ${FIRST_STEPS} from (select 1) s)` },
  ])}::text as body,
    ((select sum(count) from by_status) + (select open_count from money) + (select work_orders + all_ended from ended))::int as records
  from (select 1) o`;

/**
 * The overview as JSON. `records` is the approximate number of records that PostgreSQL read for it.
 */
export interface OverviewRow {
  body: string;
  records: number;
}

/** Builds the query for the overview of an account. Every part of the query has a limit. */
export function buildOverviewQuery({ tenantId, timeZone }: { tenantId: string; timeZone: string }): SqlQuery {
  return { name: 'overview', text: TEXT, values: [tenantId, timeZone] };
}
