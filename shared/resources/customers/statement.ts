import { AGING_SUMS } from '../../billing/aging.js';
import { EFFECTIVE_DUE_DATE } from '../../billing/effective-due-date.js';
import { PAST_DUE_JOINS } from '../../billing/past-due.js';
import type { CustomerStatementQuery } from '../../contracts/generated.js';
import { jsonObject, jsonTime } from '../../contracts/resource.js';
import type { SqlQuery } from '../../platform/postgres/database.js';

/**
 * Maximum number of entries on an account statement. If a period has more, the request is refused,
 * and the client must request shorter periods.
 */
export const MAX_STATEMENT_ENTRIES = 2000;

const DEFAULT_DAYS = 90;

/**
 * The statuses of the invoices that a statement shows, as an SQL list. They are the statuses of the
 * index invoices_owed, and `paid`.
 */
const RELEASED = `('sending', 'sent_to_roadsync', 'viewed', 'partially_paid', 'overdue', 'disputed', 'failed', 'paid')`;

/**
 * SQL that selects everything that changed the balance of the customer with the id `$2`. An invoice
 * counts from its release. An invoice that was paid in the yard and never released counts from its
 * payment.
 */
const ENTRIES = `
  select coalesce(i.released_at, i.paid_at, i.created_at) as at, 'invoice' as kind, i.id, i.invoice_number as reference,
    i.total_cents as amount_cents
  from invoices i where i.tenant_id = $1 and i.customer_id = $2 and i.status in ${RELEASED}
  union all
  select p.received_at, 'payment', p.id, coalesce(p.reference, p.method), -p.amount_cents
  from payments p where p.tenant_id = $1 and p.customer_id = $2 and p.status = 'succeeded'
  union all
  select f.created_at, 'refund', f.id, f.reason, f.amount_cents
  from payments p join refunds f on f.tenant_id = p.tenant_id and f.payment_id = p.id where p.tenant_id = $1 and p.customer_id = $2`;

/** SQL for the number of days since an open invoice was due, in the account's time zone. */
const DAYS_LATE = `
  ((now() at time zone t.time_zone)::date - (${EFFECTIVE_DUE_DATE} at time zone t.time_zone)::date)`;

/** SQL that sums the open amounts by the number of days past the due date. */
const AGING = `
  select ${AGING_SUMS}
  from (select i.balance_due_cents as open_cents, ${DAYS_LATE} as days from invoices i ${PAST_DUE_JOINS}
    where i.tenant_id = $1 and i.customer_id = $2 and i.status in ${RELEASED} and i.balance_due_cents > 0) o`;

/**
 * Returns SQL for one bound of the period. A plain date means midnight in the account's time zone.
 */
function boundSql(parameter: string, fallback: string): string {
  return `coalesce(case when length(${parameter}::text) = 10 then ${parameter}::date::timestamp at time zone $5
    else ${parameter}::timestamptz end, ${fallback})`;
}

const ENTRY = jsonObject('e', [
  jsonTime('e', 'at'),
  'kind',
  'id',
  'reference',
  'amount_cents',
  'balance_cents',
]);

const TEXT = `
  with span as materialized (select ${boundSql('$3', `now() - interval '${DEFAULT_DAYS} days'`)} as since, ${boundSql('$4', 'now()')} as until),
  entries as materialized (
    select e.*, (sum(e.amount_cents) over (order by e.at, e.kind, e.id))::bigint as balance_cents
    from (${ENTRIES}) e where e.at < (select until from span)),
  shown as materialized (select * from entries where at >= (select since from span)),
  sums as materialized (select
    (select coalesce(sum(amount_cents), 0)::bigint from entries where at < (select since from span)) as opening_balance_cents,
    (select coalesce(sum(amount_cents), 0)::bigint from shown where kind = 'invoice') as invoiced_cents,
    (select coalesce(-sum(amount_cents), 0)::bigint from shown where kind = 'payment') as paid_cents,
    (select coalesce(sum(amount_cents), 0)::bigint from shown where kind = 'refund') as refunded_cents,
    (select coalesce(sum(amount_cents), 0)::bigint from entries) as closing_balance_cents)
  select (select count(*)::int from shown) as count,
    ${jsonObject('s', [
      { name: 'customer_id', sql: 'k.id' },
      { name: 'company_name', sql: 'k.company_name' },
      jsonTime('s', 'since'),
      jsonTime('s', 'until'),
      'opening_balance_cents',
      'invoiced_cents',
      'paid_cents',
      'refunded_cents',
      'closing_balance_cents',
      { name: 'aging', sql: `(select row_to_json(a) from (${AGING}) a)` },
      {
        name: 'entries',
        sql: `coalesce((select json_agg(${ENTRY} order by e.at, e.kind, e.id) from (select * from shown limit ${MAX_STATEMENT_ENTRIES}) e), '[]')`,
      },
    ])}::text as body
  from customers k, (select * from sums, span) s where k.tenant_id = $1 and k.id = $2`;

/** The result of the query for an account statement. For an unknown customer, there is no row. */
export interface StatementRow {
  body: string;
  count: number;
}

/**
 * Builds the query for a customer's account statement. The query computes the statement from
 * invoices, payments and refunds; no statement is stored (docs/decisions.md §9).
 */
export function buildCustomerStatementQuery(
  customerId: string,
  query: CustomerStatementQuery,
  scope: { tenantId: string; timeZone: string },
): SqlQuery {
  const { since = null, until = null } = query;
  return {
    name: 'customer-statement',
    text: TEXT,
    values: [scope.tenantId, customerId, since, until, scope.timeZone],
  };
}
