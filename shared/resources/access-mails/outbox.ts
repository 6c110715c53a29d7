import { NO_TENANT } from '../../platform/ids.js';
import type { Database, Transaction } from '../../platform/postgres/database.js';
import type { RecordRef } from '../../records/record-refs.js';
import type { DeferredMail } from '../planned-messages/daily-mail-limit.js';
import {
  countOrPostpone,
  type DueRow,
  type LeaseTerms,
  postponeRow,
  type RetryWait,
} from '../planned-messages/outbox-rows.js';
import type { AccessMailKind } from './store.js';

/** An access mail that this worker has leased, so that no other worker sends it. */
export interface LeasedAccessMail extends RecordRef {
  kind: AccessMailKind;
  recipient: string;
  subject: string;
  body_text: string;
  link_id: string | null;
  network: string | null;
  attempts: number;
  is_counted: boolean;
  /** Set if the mail exceeded the account's daily limit and was postponed to the next day. */
  deferral: DeferredMail | undefined;
}

/**
 * Leases the account's access mail that has been due the longest. Only invitations count against
 * the account's daily limit. Otherwise, people of an account that has reached the limit could not
 * reset a password until the next day.
 * @param tenantId may be `NO_TENANT`, for requests of people without an account
 */
export function leaseNextAccessMail(
  db: Database,
  tenantId: string,
  { leaseSeconds, mailsPerDay }: LeaseTerms,
): Promise<LeasedAccessMail | undefined> {
  return db.transaction([tenantId], async (tx) => {
    const [row] = await tx.query<Omit<LeasedAccessMail, 'deferral'>>({
      name: 'lease-access-mail',
      text: `with next as (
               select m.id from access_mails m where m.tenant_id = $1 and m.state = 'queued' and m.attempt_after <= now()
               order by m.attempt_after, m.id limit 1 for no key update of m skip locked)
             update access_mails m set attempt_after = now() + make_interval(secs => $2), attempts = m.attempts + 1
             from next where m.tenant_id = $1 and m.id = next.id
             returning m.tenant_id, m.id, m.kind, m.recipient, m.subject, m.body_text, m.link_id, m.network, m.attempts,
               m.counted_at is not null as is_counted`,
      values: [tenantId, leaseSeconds],
    });
    if (!row) return undefined;
    const isNew = row.kind === 'invitation' && !row.is_counted;
    const deferral = isNew ? await countOrPostpone(tx, 'access_mails', { ref: row, mailsPerDay }) : undefined;
    return { ...row, deferral };
  });
}

/** Records that a mail was sent. */
export async function recordAccessMailSent(db: Database, ref: RecordRef): Promise<void> {
  await db.transaction([ref.tenant_id], async (tx) =>
    endMailAtCommit(tx, ref, { state: 'sent', reason: null }),
  );
}

/**
 * Stores the reason why a mail was not sent. Then postpones the mail or gives it up.
 * @param wait the time before the next attempt; undefined to give up the mail
 */
export async function recordAccessMailFailure(
  db: Database,
  ref: RecordRef,
  { reason, wait }: { reason: string; wait: RetryWait | undefined },
): Promise<void> {
  if (wait) return postponeRow(db, 'access_mails', { ref, reason, ...wait });
  await db.transaction([ref.tenant_id], async (tx) => endMailAtCommit(tx, ref, { state: 'failed', reason }));
}

function endMailAtCommit(
  tx: Transaction,
  ref: RecordRef,
  { state, reason }: { state: 'sent' | 'failed'; reason: string | null },
): void {
  tx.queryAtCommit({
    name: 'end-access-mail',
    text: `update access_mails set state = $3, error = $4 where tenant_id = $1 and id = $2 and state = 'queued'`,
    values: [ref.tenant_id, ref.id, state, reason],
  });
}

/** Sets the final status of a reset request: `sent` if it led to mails, otherwise `failed`. */
export async function endResetRequest(tx: Transaction, id: string, hasMails: boolean): Promise<void> {
  await tx.query({
    name: 'end-reset-request',
    text: `update access_mails set state = $3 where tenant_id = $1 and id = $2`,
    values: [NO_TENANT, id, hasMails ? 'sent' : 'failed'],
  });
}

/**
 * Finds due mails of this transaction's tenants, at most `limit`. The tenants may include
 * `NO_TENANT`, which has no row in the table of tenants.
 */
export function findDueAccessMails(tx: Transaction, limit: number): Promise<DueRow[]> {
  return tx.query<DueRow>({
    name: 'sweep-access-mails',
    text: `select due.* from unnest(string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) as own(tenant_id)
           cross join lateral (
             select m.tenant_id, m.id, m.attempts from access_mails m
             where m.tenant_id = own.tenant_id and m.state = 'queued' and m.attempt_after <= now()
             order by m.attempt_after, m.id limit 1) due
           limit $1`,
    values: [limit],
  });
}
