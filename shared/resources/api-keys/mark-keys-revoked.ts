import type { Transaction } from '../../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from '../../records/record-refs.js';

/** Revokes keys. A key that is already revoked stays unchanged. */
export async function markKeysRevoked(tx: Transaction, refs: readonly RecordRef[]): Promise<void> {
  await tx.query({
    name: 'revoke-api-keys',
    text: `update api_keys t set revoked_at = coalesce(t.revoked_at, now())
           from ${recordsetSql('tenant_id uuid, id uuid')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(refs.map(({ tenant_id, id }) => ({ tenant_id, id })))],
  });
}
