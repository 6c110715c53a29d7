import { jsonObject, jsonObjectWithoutNulls, jsonShortText, jsonTime } from '../../contracts/resource.js';

/** SQL for the open amount of released invoices. The statuses match the index invoices_owed. */
function owedSql(alias: string, condition: string): string {
  return `(select coalesce(sum(i.balance_due_cents), 0)::bigint from invoices i where i.tenant_id = ${alias}.tenant_id and i.customer_id = ${alias}.id
    and i.status in ('sending', 'sent_to_roadsync', 'viewed', 'partially_paid', 'overdue', 'disputed', 'failed') and ${condition})`;
}

/** SQL for payments that exceed invoices and were not refunded. */
function creditSql(alias: string): string {
  return `(select coalesce(sum(p.amount_cents - p.applied_cents - p.refunded_cents), 0)::bigint from payments p
    where p.tenant_id = ${alias}.tenant_id and p.customer_id = ${alias}.id and p.amount_cents > p.applied_cents + p.refunded_cents)`;
}

export function customerMembers(alias: string): Parameters<typeof jsonObject>[1] {
  return [
    'id',
    'company_name',
    'company_type',
    'billing_email',
    'primary_phone',
    'address',
    'city',
    'state',
    'zip',
    'is_active',
    'terms_days',
    'tax_exempt',
    'tax_rate_bps',
    'rate_card_id',
    { name: 'balance_cents', sql: owedSql(alias, 'true') },
    { name: 'overdue_cents', sql: owedSql(alias, "i.status = 'overdue'") },
    { name: 'credit_cents', sql: creditSql(alias) },
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'updated_at'),
  ];
}

export function customerRepresentation(alias: string): string {
  return jsonObject(alias, customerMembers(alias));
}

/** JSON of a customer in a long list for agents: enough to choose one. */
export function briefCustomerRepresentation(alias: string): string {
  const members = customerMembers(alias);
  const membersNamed = (name: string) =>
    members.filter((member) => typeof member === 'object' && member.name === name);
  return jsonObjectWithoutNulls(alias, [
    'id',
    jsonShortText(alias, 'company_name'),
    'company_type',
    'billing_email',
    'primary_phone',
    jsonShortText(alias, 'city'),
    'state',
    'is_active',
    ...membersNamed('balance_cents'),
    ...membersNamed('overdue_cents'),
  ]);
}

/** The shortened name of a record's customer, for lists that agents read. */
export function shortCustomerName(alias: string): { name: string; sql: string } {
  const { sql } = jsonShortText('c', 'company_name');
  return {
    name: 'customer_name',
    sql: `(select ${sql} from customers c where c.tenant_id = ${alias}.tenant_id and c.id = ${alias}.customer_id)`,
  };
}
