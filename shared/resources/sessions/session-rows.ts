import type { Transaction } from '../../platform/postgres/database.js';
import { EXTENDED_RETENTION, type ExpiryRule } from '../../records/expiry.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import { SESSION_IDLE_LIFETIME, SESSION_MAX_LIFETIME } from './queries.js';

export interface SessionToInsert extends RecordRef {
  user_id: string;
  /** In hex. */
  token_hash: string;
  user_agent?: string | null;
  network?: string;
  /** True if the person has proved a factor. */
  with_factor?: boolean;
}

/**
 * Inserts sessions. Returns the keys of those that are new. In a sign-in with two steps, the first
 * step chooses the id. The second step therefore works only once.
 */
export async function insertSessions(
  tx: Transaction,
  sessions: readonly SessionToInsert[],
): Promise<Set<string>> {
  const columns =
    'tenant_id uuid, id uuid, user_id uuid, token_hash text, user_agent text, network text, with_factor boolean';
  const inserted = await tx.query<RecordRef>({
    name: 'insert-sessions',
    text: `insert into sessions (tenant_id, id, user_id, token_hash, idle_expires_at, expires_at, user_agent, network, last_used_at, factor_proved_at)
           select tenant_id, id, user_id, decode(token_hash, 'hex'), now() + ${SESSION_IDLE_LIFETIME}, now() + ${SESSION_MAX_LIFETIME},
             user_agent, network, now(), case when with_factor then now() end
           from ${recordsetSql(columns)} on conflict (tenant_id, id) do nothing returning tenant_id, id`,
    values: [JSON.stringify(sessions)],
  });
  return new Set(inserted.map(refKey));
}

/** Records that the people of these sessions have proved a factor. */
export async function setFactorProved(tx: Transaction, sessions: readonly RecordRef[]): Promise<void> {
  if (sessions.length === 0) return;
  await tx.query({
    name: 'set-factor-proved',
    text: `update sessions t set factor_proved_at = now() from ${recordsetSql('tenant_id uuid, id uuid')}
           where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(sessions.map(({ tenant_id, id }) => ({ tenant_id, id })))],
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
