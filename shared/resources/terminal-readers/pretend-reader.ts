/**
 * The id of the reader in every sandbox without a payments vendor. The reader is not stored, so its
 * id is the same in all sandboxes.
 */
export const PRETEND_READER_ID = '5ead0000-7e57-4000-8000-000000000001';

/** SQL condition: the account of row `t` of `tenants` is a sandbox without a payments vendor. */
export const IS_PRETENDING_SQL = `t.environment = 'sandbox' and not exists (
  select from connections c where c.tenant_id = t.tenant_id and c.kind = 'payments' and c.status <> 'revoked'
    and c.external_account is not null)`;
