import type { Transaction } from '../../platform/postgres/database.js';
import { IS_LIVE_KEY_SQL } from '../../records/keys/live-key-sql.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';

/**
 * Finds the motor clubs that have a key which is neither revoked nor expired. An account parts from
 * a club by revoking the club's keys.
 * @param clubs refs whose `id` is a `club_id`
 * @returns the `refKey` of each club with such a key
 */
export async function findLiveClubs(tx: Transaction, clubs: readonly RecordRef[]): Promise<Set<string>> {
  if (clubs.length === 0) return new Set();
  const rows = await tx.query<RecordRef>({
    name: 'find-live-clubs',
    text: `select r.tenant_id, r.id from (select distinct tenant_id, id from ${recordsetSql('tenant_id uuid, id uuid')}) r
           where exists (select from api_keys t where t.tenant_id = r.tenant_id and t.club_id = r.id and ${IS_LIVE_KEY_SQL})`,
    values: [JSON.stringify(clubs.map(({ tenant_id, id }) => ({ tenant_id, id })))],
  });
  return new Set(rows.map(refKey));
}
