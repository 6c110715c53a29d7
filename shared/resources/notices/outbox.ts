import type { Database, Transaction } from '../../platform/postgres/database.js';
import type { RecordRef } from '../../records/record-refs.js';
import type { DeferredMail } from '../planned-messages/daily-mail-limit.js';
import {
  buildNextDueCte,
  countOrPostpone,
  type DueRow,
  findDueRows,
  type LeaseTerms,
  postponeRow,
  type RetryWait,
} from '../planned-messages/outbox-rows.js';

/**
 * A notice mail to one person. This worker has leased the mail, so that no other worker offers it
 * to the mail server.
 */
export interface LeasedNoticeMail extends RecordRef {
  title: string;
  text: string;
  /** Null if the person was deactivated after the notice was stored. */
  recipient: string | null;
  account: string;
  /** The number of times that workers have offered the mail, including this attempt. */
  attempts: number;
  /** Set if the mail exceeded the account's daily limit and was postponed to the next day. */
  deferral: DeferredMail | undefined;
}

interface LeasedRow extends Omit<LeasedNoticeMail, 'held'> {
  is_counted: boolean;
}

/**
 * Leases the account's notice mail that has been due the longest, and counts it against the
 * account's daily limit in the same transaction. Returns undefined if no mail is due, or other
 * workers have leased all due mails.
 */
export function leaseNextNoticeMail(
  db: Database,
  tenantId: string,
  { leaseSeconds, mailsPerDay }: LeaseTerms,
): Promise<LeasedNoticeMail | undefined> {
  return db.transaction([tenantId], async (tx) => {
    const [row] = await tx.query<LeasedRow>({
      name: 'claim-next-notice-mail',
      text: `with ${buildNextDueCte('notice_mails')},
             taken as (
               update notice_mails m set attempt_after = now() + make_interval(secs => $2), attempts = m.attempts + 1
               from next where m.tenant_id = $1 and m.id = next.id returning m.*)
             select m.tenant_id, m.id, m.attempts, o.name as account, n.title, n.text, m.counted_at is not null as is_counted,
               case when u.deactivated_at is null then u.email end as recipient
             from taken m join tenants o on o.tenant_id = m.tenant_id
             join notices n on n.tenant_id = m.tenant_id and n.id = m.notice_id
             join users u on u.tenant_id = m.tenant_id and u.id = m.user_id`,
      values: [tenantId, leaseSeconds],
    });
    if (!row) return undefined;
    const isNew = row.recipient !== null && !row.is_counted;
    const deferral = isNew ? await countOrPostpone(tx, 'notice_mails', { ref: row, mailsPerDay }) : undefined;
    return { ...row, deferral };
  });
}

/**
 * Records that the mail server has accepted the mail. The first accepted mail of a notice sets the
 * notice's `mailed_at`.
 */
export async function recordNoticeMailSent(db: Database, ref: RecordRef): Promise<void> {
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

/**
 * Stores the reason why the mail server did not accept a mail. Then postpones the mail or gives it
 * up.
 * @param wait the time before the next attempt; undefined to give up the mail
 */
export function recordNoticeMailFailure(
  db: Database,
  ref: RecordRef,
  { reason, wait }: { reason: string; wait: RetryWait | undefined },
): Promise<void> {
  if (!wait) return giveUpMail(db, ref, reason);
  return postponeRow(db, 'notice_mails', { ref, reason, ...wait });
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

/** A sweep finds at most this many mails per account. */
const MAX_DUE_PER_TENANT = 20;

/** Finds due mails of this transaction's tenants, at most `limit`. */
export function findDueNoticeMails(tx: Transaction, limit: number): Promise<DueRow[]> {
  return findDueRows(tx, 'notice_mails', { limit, limitPerTenant: MAX_DUE_PER_TENANT, overdueSeconds: 0 });
}
