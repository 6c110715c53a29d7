import type { Database, Transaction } from '../../platform/postgres.js';
import { type DueRow, findDueRows, putOff } from '../messages/outbox-rows.js';
import type { RecordRef } from '../sets.js';

/** The mail of a notice to one person, which this worker, and no other, may hand over now. */
export interface ClaimedMail extends RecordRef {
  title: string;
  text: string;
  /** Null when the person has left the account meanwhile. */
  recipient: string | null;
  /** Of the account. */
  account: string;
  /** How often it was offered, this time included. */
  attempts: number;
}

/**
 * Takes a queued mail for a while; undefined when it is not due, not queued, or another worker has it. A sandbox's is never taken, whatever its row says.
 */
export async function claimNoticeMail(
  db: Database,
  ref: RecordRef,
  leaseSeconds: number,
): Promise<ClaimedMail | undefined> {
  const [row] = await db.transaction([ref.tenant_id], (tx) =>
    tx.query<ClaimedMail>({
      name: 'claim-notice-mail',
      text: `with taken as (
               update notice_mails m set attempt_after = now() + make_interval(secs => $3), attempts = m.attempts + 1
               from tenants o
               where m.tenant_id = $1 and m.id = $2 and m.state = 'queued' and m.attempt_after <= now()
                 and o.tenant_id = m.tenant_id and o.environment = 'live'
               returning m.*, o.name as account)
             select m.tenant_id, m.id, m.attempts, m.account, n.title, n.text,
               case when u.deactivated_at is null then u.email end as recipient
             from taken m join notices n on n.tenant_id = m.tenant_id and n.id = m.notice_id
             join users u on u.tenant_id = m.tenant_id and u.id = m.user_id`,
      values: [ref.tenant_id, ref.id, leaseSeconds],
    }),
  );
  return row;
}

/** Notes that the server has it, and with the first of its mails that the notice is mailed. */
export async function noteMailSent(db: Database, ref: RecordRef): Promise<void> {
  await db.transaction([ref.tenant_id], async (tx) =>
    tx.queryAtCommit({
      name: 'note-sent-notice-mail',
      text: `with sent as (update notice_mails set state = 'sent', error = null where tenant_id = $1 and id = $2 returning *)
             update notices n set mailed_at = now() from sent
             where n.tenant_id = sent.tenant_id and n.id = sent.notice_id and n.mailed_at is null`,
      values: [ref.tenant_id, ref.id],
    }),
  );
}

/** Puts a mail off that was claimed and not offered: that was no attempt. */
export function holdNoticeMail(
  db: Database,
  ref: RecordRef,
  wait: { reason: string; seconds: number },
): Promise<void> {
  return putOff(db, 'notice_mails', { ref, ...wait, wasOffered: false });
}

/** Keeps why a mail was not taken. @param seconds until it is offered again; undefined: it is given up */
export function noteMailFailure(
  db: Database,
  ref: RecordRef,
  { reason, seconds }: { reason: string; seconds: number | undefined },
): Promise<void> {
  if (seconds === undefined) return giveUpMail(db, ref, reason);
  return putOff(db, 'notice_mails', { ref, reason, seconds, wasOffered: true });
}

async function giveUpMail(db: Database, ref: RecordRef, reason: string): Promise<void> {
  await db.transaction([ref.tenant_id], async (tx) =>
    tx.queryAtCommit({
      name: 'give-up-notice-mail',
      text: `update notice_mails set error = $3, state = 'failed' where tenant_id = $1 and id = $2 and state = 'queued'`,
      values: [ref.tenant_id, ref.id, reason],
    }),
  );
}

/** Mails of one account in a sweep. */
const DUE_OF_TENANT = 20;

/** Queued mails of this transaction's tenants that are due. @param limit mails at most */
export function findDueNoticeMails(tx: Transaction, limit: number): Promise<DueRow[]> {
  return findDueRows(tx, 'notice_mails', { limit, perTenant: DUE_OF_TENANT, overdueSeconds: 0 });
}
