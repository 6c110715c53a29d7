/** SQL: this condition can use an index. The row-level policy only filters. */
export const isInSessionTenants = (alias: string) =>
  `${alias}.tenant_id = any (string_to_array(current_setting('app.tenant_ids'), ',')::uuid[])`;
