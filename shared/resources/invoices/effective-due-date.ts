/**
 * When a released invoice without a due date is due: its release and the customer's terms, else the
 * account's. The days are counted in the account's time zone. Null before the release. SQL over `i`
 * invoices, `t` tenants, `c` customers (outer).
 */
const DUE_BY_TERMS = `((i.released_at at time zone t.time_zone) + make_interval(days => coalesce(c.terms_days, t.terms_days))) at time zone t.time_zone`;

/**
 * When an invoice is due (decisions 3), the one definition of it: its due date, else what its terms
 * make of its release. Null for a draft without a due date, whose terms have not begun. SQL over
 * `i` invoices, `t` tenants, `c` customers (outer).
 */
export const EFFECTIVE_DUE_DATE = `coalesce(i.due_date, ${DUE_BY_TERMS})`;

/**
 * {@link EFFECTIVE_DUE_DATE} for a row of invoices that is not joined to its account. Most invoices
 * have a due date and look nothing up.
 */
export function effectiveDueDate(alias: string): string {
  return `coalesce(${alias}.due_date, case when ${alias}.released_at is not null then (
    select ${DUE_BY_TERMS} from (select ${alias}.tenant_id, ${alias}.customer_id, ${alias}.released_at) i
      join tenants t on t.tenant_id = i.tenant_id
      left join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id) end)`;
}
