/**
 * SQL: whether a row belongs to the transaction's tenants. The row-level policy also checks this,
 * but only this condition can use an index.
 */
export const isInSessionTenants = (alias: string) =>
  `${alias}.tenant_id = any (string_to_array(current_setting('app.tenant_ids'), ',')::uuid[])`;
