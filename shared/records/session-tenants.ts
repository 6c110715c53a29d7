/**
 * SQL: the tenants of this transaction. Unlike the row-level policy, which only filters, this
 * condition can use an index.
 */
export const isInSessionTenants = (alias: string) =>
  `${alias}.tenant_id = any (string_to_array(current_setting('app.tenant_ids'), ',')::uuid[])`;
