import type { Database, Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import type { RecordRef } from '../../records/record-refs.js';
import { buildRoundRobinSql } from '../../records/sweeps/sweep-round-robin.js';
import { type DeferredMail, reserveDailyMail } from './daily-mail-limit.js';

/** The tables whose rows wait until a provider accepts them. */
export type OutboxTable = 'messages' | 'notice_mails' | 'access_mails';

/** SQL assignments to columns that only one of the tables has. */
const EXTRA_UPDATES: Readonly<Record<OutboxTable, string>> = {
  messages: `, updated_at = ${nextUpdatedAtSql('m')}`,
  notice_mails: '',
  access_mails: '',
};

/** SQL condition on rows `m`: the mail server, not a connection, sends the row's message. */
const IS_MAIL: Readonly<Record<OutboxTable, string>> = {
  messages: ' and m.connection_id is null',
  notice_mails: '',
  access_mails: '',
};

/** The wait of a row before its next attempt. */
export interface RetryWait {
  /** Seconds until the next attempt. */
  seconds: number;
  /**
   * False if a worker leased the row but did not offer it to the provider. The lease then does not
   * count as an attempt.
   */
  wasOffered: boolean;
}

export interface Postponement extends RetryWait {
  reason: string;
}

/** Postpones the next attempt of a row and stores the reason. */
export async function postponeRow(
  db: Database,
  table: OutboxTable,
  wait: Postponement & { ref: RecordRef },
): Promise<void> {
  await db.transaction([wait.ref.tenant_id], async (tx) => postponeAtCommit(tx, table, wait));
}

/** Postpones the next attempt of a row when the transaction commits. */
export function postponeAtCommit(
  tx: Transaction,
  table: OutboxTable,
  { ref, reason, seconds, wasOffered }: Postponement & { ref: RecordRef },
): void {
  tx.queryAtCommit({
    name: `put-off-${table}`,
    text: `update ${table} m set error = $3, attempt_after = now() + make_interval(secs => $4),
             attempts = m.attempts - $5::integer${EXTRA_UPDATES[table]}
           where m.tenant_id = $1 and m.id = $2 and m.state = 'queued'`,
    values: [ref.tenant_id, ref.id, reason, seconds, wasOffered ? 0 : 1],
  });
}

/**
 * Returns SQL for a CTE named `next`. The CTE selects and locks the row of account `$1` that has
 * been due the longest. `skip locked` lets concurrent workers find different rows. The join
 * excludes sandboxes, because they never send.
 */
export function buildNextDueCte(table: OutboxTable): string {
  return `next as (
    select m.id from ${table} m join tenants o on o.tenant_id = m.tenant_id and o.environment = 'live'
    where m.tenant_id = $1 and m.state = 'queued' and m.attempt_after <= now()${IS_MAIL[table]}
    order by m.attempt_after, m.id limit 1 for no key update of m skip locked)`;
}

/** The duration of a lease, and the number of mails and texts that an account may send per day. */
export interface LeaseTerms {
  leaseSeconds: number;
  mailsPerDay: number;
}

/** A row, and the number of mails and texts that its account may send per day. */
export interface DailyMailLimit {
  ref: RecordRef;
  mailsPerDay: number;
}

/**
 * Counts a row against the account's daily limit and marks it as counted. Beyond the limit,
 * postpones the row to the next day. Call this function in the transaction that leases the row.
 * Then a leased row is always counted, even if the worker dies.
 */
export async function countOrPostpone(
  tx: Transaction,
  table: OutboxTable,
  { ref, mailsPerDay }: DailyMailLimit,
): Promise<DeferredMail | undefined> {
  const held = await reserveDailyMail(tx, ref.tenant_id, mailsPerDay);
  if (held) postponeAtCommit(tx, table, { ref, ...held, wasOffered: false });
  else
    tx.queryAtCommit({
      name: `count-${table}`,
      text: `update ${table} set counted_at = now() where tenant_id = $1 and id = $2`,
      values: [ref.tenant_id, ref.id],
    });
  return held;
}

/** A due row, and the number of times that workers have offered it so far. */
export interface DueRow extends RecordRef {
  attempts: number;
}

export interface DueRowLimits {
  /** Maximum number of rows. */
  limit: number;
  /** Maximum number of rows per account. */
  limitPerTenant: number;
  /** A row must have been due for at least this long. */
  overdueSeconds: number;
}

/**
 * Finds due rows of this transaction's tenants, round-robin between accounts, so that an account
 * with many rows does not delay the others. Within an account, the row that has been due the
 * longest comes first.
 */
export function findDueRows(
  tx: Transaction,
  table: OutboxTable,
  { limit, limitPerTenant, overdueSeconds }: DueRowLimits,
): Promise<DueRow[]> {
  return tx.query<DueRow>({
    name: `sweep-${table}`,
    text: `${buildRoundRobinSql(`select m.tenant_id, m.id, m.attempts, m.attempt_after from ${table} m
             where m.tenant_id = t.tenant_id and m.state = 'queued'
               and m.attempt_after <= now() - make_interval(secs => $3)${IS_MAIL[table]}
             order by m.attempt_after, m.id limit $2`)}, due.attempt_after limit $1`,
    values: [limit, limitPerTenant, overdueSeconds],
  });
}
