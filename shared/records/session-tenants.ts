/**
 * Returns the SQL condition that a row belongs to the transaction's tenants. The row-level security
 * policy checks the same tenants, but PostgreSQL can use an index only for this condition.
 */
export const isInSessionTenants = (alias: string) =>
  `${alias}.tenant_id = any (string_to_array(current_setting('app.tenant_ids'), ',')::uuid[])`;
