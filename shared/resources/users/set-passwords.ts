import type { Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { type RecordRef, recordsetSql } from '../../records/record-refs.js';
import { endSessionsOfUsers } from '../sessions/session-rows.js';

/**
 * Sets new passwords of people who opened a mailed link, and ends their sessions. The caller must
 * have locked their rows.
 */
export async function setPasswords(
  tx: Transaction,
  people: readonly (RecordRef & { password_hash: string })[],
): Promise<void> {
  if (people.length === 0) return;
  await tx.query({
    name: 'set-passwords',
    text: `update users t set password_hash = r.password_hash, email_proved_at = now(), updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid, password_hash text')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(people)],
  });
  await endSessionsOfUsers(tx, people);
}
