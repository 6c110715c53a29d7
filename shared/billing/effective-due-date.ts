/**
 * The SQL for the due date by payment terms: the time of the release plus the customer's terms in
 * days. If the customer has no terms, the account's terms apply. Days are counted in the account's
 * time zone. Null before the release.
 */
const DUE_BY_TERMS = `((i.released_at at time zone t.time_zone) + make_interval(days => coalesce(c.terms_days, t.terms_days))) at time zone t.time_zone`;

/**
 * The SQL for the date on which an invoice is due. No other code defines this date
 * (docs/decisions.md §3). Null if the invoice has no `due_date` and is not released, because
 * payment terms start at the release. The query must name the tables `i` (invoices), `t` (tenants)
 * and `c` (customers, outer join).
 */
export const EFFECTIVE_DUE_DATE = `coalesce(i.due_date, ${DUE_BY_TERMS})`;

/**
 * Builds the SQL of {@link EFFECTIVE_DUE_DATE} for a query that does not join tenants and
 * customers. A subquery reads the payment terms, but only for released invoices without a
 * `due_date`.
 */
export function effectiveDueDate(alias: string): string {
  return `coalesce(${alias}.due_date, case when ${alias}.released_at is not null then (
    select ${DUE_BY_TERMS} from (select ${alias}.tenant_id, ${alias}.customer_id, ${alias}.released_at) i
      join tenants t on t.tenant_id = i.tenant_id
      left join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id) end)`;
}
