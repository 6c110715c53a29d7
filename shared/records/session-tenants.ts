/**
 * SQL: the tenants of this transaction. The row-level policy only filters; this can use an index.
 */
export const isInSessionTenants = (alias: string) =>
  `${alias}.tenant_id = any (string_to_array(current_setting('app.tenant_ids'), ',')::uuid[])`;
