import type { Transaction } from '../../platform/postgres/database.js';
import { EXTENDED_RETENTION, type ExpiryRule } from '../../records/expiry.js';
import { type RecordRef, recordsetSql } from '../../records/record-refs.js';
import { SESSION_IDLE_LIFETIME, SESSION_MAX_LIFETIME } from './queries.js';

/** Inserts sessions. The `token_hash` of each is in hex. */
export async function insertSessions(
  tx: Transaction,
  sessions: readonly (RecordRef & { user_id: string; token_hash: string })[],
): Promise<void> {
  await tx.query({
    name: 'insert-sessions',
    text: `insert into sessions (tenant_id, id, user_id, token_hash, idle_expires_at, expires_at)
           select tenant_id, id, user_id, decode(token_hash, 'hex'), now() + ${SESSION_IDLE_LIFETIME}, now() + ${SESSION_MAX_LIFETIME}
           from ${recordsetSql('tenant_id uuid, id uuid, user_id uuid, token_hash text')}`,
    values: [JSON.stringify(sessions)],
  });
}

/**
 * Ends all sessions of these people. Call this function when people leave an account or get a new
 * password.
 */
export async function endSessionsOfUsers(tx: Transaction, people: readonly RecordRef[]): Promise<void> {
  if (people.length === 0) return;
  await tx.query({
    name: 'end-sessions-of-users',
    text: `update sessions t set ended_at = now() from ${recordsetSql('tenant_id uuid, id uuid')}
           where t.tenant_id = r.tenant_id and t.user_id = r.id and t.ended_at is null`,
    values: [JSON.stringify(people.map(({ tenant_id, id }) => ({ tenant_id, id })))],
  });
}

export const EXPIRED_SESSIONS: ExpiryRule = {
  table: 'sessions',
  condition: `least(o.ended_at, o.idle_expires_at, o.expires_at) < now() - ${EXTENDED_RETENTION}`,
};
