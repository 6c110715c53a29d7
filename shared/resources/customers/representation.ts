import { jsonObjectWithoutNulls, jsonShortText } from '../../contracts/resource.js';
import { customerFields } from './fields.js';

/**
 * Returns SQL for the JSON of a brief customer, for long lists that agents read. The JSON has only
 * the members that an agent needs to choose a customer.
 */
export function briefCustomerRepresentation(alias: string): string {
  const members = customerFields.members(alias);
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

/** Returns the current name of a record's customer as a JSON member. */
export function customerName(alias: string): { name: string; sql: string } {
  return {
    name: 'customer_name',
    sql: `(select c.company_name from customers c where c.tenant_id = ${alias}.tenant_id and c.id = ${alias}.customer_id)`,
  };
}

export function shortCustomerName(alias: string): { name: string; sql: string } {
  const { sql } = jsonShortText('c', 'company_name');
  return {
    name: 'customer_name',
    sql: `(select ${sql} from customers c where c.tenant_id = ${alias}.tenant_id and c.id = ${alias}.customer_id)`,
  };
}
