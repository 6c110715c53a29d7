import type { Database, Transaction } from '../../platform/postgres/database.js';
import { EXTENDED_RETENTION, type ExpiryRule } from '../../records/expiry.js';
import { type RecordRef, recordsetSql } from '../../records/record-refs.js';
import { hashLinkToken } from './link-token.js';

/** Minutes for which a mailed link can set a password. */
export const RESET_MINUTES = 30;

export interface OpenReset {
  tenant_id: string;
  id: string;
  user_id: string;
}

/** Finds the reset that a link opens. Returns undefined if the link is unknown, used or expired. */
export async function findOpenReset(db: Database, token: string): Promise<OpenReset | undefined> {
  const hash = Buffer.from(hashLinkToken(token), 'hex');
  const [row] = await db.readByKeyHash<OpenReset>(hash, {
    name: 'find-open-reset',
    text: `select tenant_id, id, user_id from password_resets where token_hash = $1 and used_at is null and expires_at > now()`,
    values: [hash],
  });
  return row;
}

/** Stores resets. The `token_hash` of each is in hex. */
export async function insertResets(
  tx: Transaction,
  resets: readonly (OpenReset & { token_hash: string })[],
): Promise<void> {
  await tx.query({
    name: 'insert-password-resets',
    text: `insert into password_resets (tenant_id, id, user_id, token_hash, expires_at)
           select tenant_id, id, user_id, decode(token_hash, 'hex'), now() + interval '${RESET_MINUTES} minutes'
           from ${recordsetSql('tenant_id uuid, id uuid, user_id uuid, token_hash text')}`,
    values: [JSON.stringify(resets)],
  });
}

/**
 * A person for whom a reset was requested. `is_known` is true if the person has signed in from the
 * network that sent the request.
 */
export interface ResetCandidate extends RecordRef {
  email: string;
  is_known: boolean;
}

/**
 * Number of resets that were mailed to a person within a day (`today`), and number of unused resets
 * from the last few minutes (`recent`).
 */
export interface MailedResets extends RecordRef {
  today: number;
  recent: number;
}

/**
 * Counts the resets that were mailed to each person. Each person has a separate count, because
 * strangers may control other accounts with the same address. Requests from networks where the
 * person has signed in (`is_known`) are counted separately from other requests.
 * Locks the address until the transaction ends. Two concurrent requests then cannot together exceed
 * the limit.
 */
export async function countMailedResets(
  tx: Transaction,
  people: readonly ResetCandidate[],
  { email, recentMinutes }: { email: string; recentMinutes: number },
): Promise<MailedResets[]> {
  await tx.query({
    name: 'lock-reset-address',
    text: `select pg_advisory_xact_lock(hashtextextended('reset ' || lower($1), 0))`,
    values: [email],
  });
  return tx.query<MailedResets>({
    name: 'count-mailed-resets',
    text: `select r.tenant_id, r.id, count(*)::int as today,
             count(*) filter (where p.used_at is null and p.created_at > now() - make_interval(mins => $2))::int as recent
           from ${recordsetSql('tenant_id uuid, id uuid, is_known boolean')}
           join password_resets p on p.tenant_id = r.tenant_id and p.user_id = r.id and p.created_at > now() - interval '1 day'
           join access_mails m on m.tenant_id = p.tenant_id and lower(m.recipient) = lower($3) and m.kind = 'password_reset'
             and m.link_id = p.id and m.is_known = r.is_known
           group by 1, 2`,
    values: [JSON.stringify(people), recentMinutes, email],
  });
}

/** Locks the open resets of people, and returns their ids. */
export async function lockOpenResets(tx: Transaction, people: readonly RecordRef[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>({
    name: 'lock-open-resets',
    text: `select t.id from password_resets t join ${recordsetSql('tenant_id uuid, id uuid')} on r.tenant_id = t.tenant_id and r.id = t.user_id
           where t.used_at is null and t.expires_at > now() order by t.id for update of t`,
    values: [JSON.stringify(people)],
  });
  return new Set(rows.map(({ id }) => id));
}

/**
 * Marks all open resets of these people as used, so that the links in earlier mails stop working.
 */
export async function useUpResets(tx: Transaction, people: readonly RecordRef[]): Promise<void> {
  if (people.length === 0) return;
  await tx.query({
    name: 'use-up-resets',
    text: `update password_resets t set used_at = now() from ${recordsetSql('tenant_id uuid, id uuid')}
           where t.tenant_id = r.tenant_id and t.user_id = r.id and t.used_at is null`,
    values: [JSON.stringify(people.map(({ tenant_id, id }) => ({ tenant_id, id })))],
  });
}

export const EXPIRED_RESETS: ExpiryRule = {
  table: 'password_resets',
  condition: `o.expires_at < now() - ${EXTENDED_RETENTION}`,
};
