import type { Transaction } from '../platform/postgres/database.js';
import { EXTENDED_RETENTION, type ExpiryRule, RETENTION } from '../records/expiry.js';
import { recordsetSql } from '../records/record-refs.js';

/**
 * SQL that stores responses under their Idempotency-Keys. It is part of a larger query, whose CTE
 * `rendered` has the columns of the idempotency record. If `tail` is set, the stored text is
 * `head`, then `body` without its closing brace, then `tail`.
 */
export const INSERT_IDEMPOTENCY_RECORDS = `
  insert into idempotency_keys (tenant_id, key, command_id, method, path, body_hash, status, location, body)
  select tenant_id, key, command_id, method, path, body_hash, status, location,
    case when tail is null then body else head || left(body, -1) || tail end
  from rendered where key is not null order by tenant_id, key`;

/**
 * Deletes the idempotency records under these keys if they have expired, so that clients can use
 * the keys again.
 */
export async function deleteExpiredRecords(
  tx: Transaction,
  keys: readonly { tenant_id: string; key: string }[],
): Promise<void> {
  await tx.query({
    text: `delete from idempotency_keys k using ${recordsetSql('tenant_id uuid, key uuid')}
           where k.tenant_id = r.tenant_id and k.key = r.key and k.created_at < now() - ${RETENTION}`,
    values: [JSON.stringify(keys)],
  });
}

/**
 * Idempotency records are kept longer than operations. While a record exists under an operation's
 * key, the operation counts as done. If records were deleted first, a done operation could look as
 * if it had never run.
 */
export const EXPIRED_IDEMPOTENCY_RECORDS: ExpiryRule = {
  table: 'idempotency_keys',
  condition: `o.created_at < now() - ${EXTENDED_RETENTION}`,
};
