import type { Database, Transaction } from '../../platform/postgres/database.js';
import { EXTENDED_RETENTION, type ExpiryRule } from '../../records/expiry.js';
import { type RecordRef, recordsetSql } from '../../records/record-refs.js';
import { hashLinkToken } from '../access-mails/link-token.js';

/** For how long the link in a mail can set a password. */
export const RESET_MINUTES = 30;

export interface OpenReset {
  tenant_id: string;
  id: string;
  user_id: string;
}

/** Finds the reset that a link opens. Undefined if the link does not work or works no more. */
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

/** Uses up all open resets of people, so that no earlier mail can set their password again. */
export async function useUpResets(tx: Transaction, people: readonly RecordRef[]): Promise<void> {
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
