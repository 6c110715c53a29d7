import type { Database, Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import type { RecordRef } from '../../records/record-refs.js';
import { buildRoundRobinSql } from '../../records/sweeps/sweep-round-robin.js';
import { type DeferredMail, reserveDailyMail } from './daily-mail-limit.js';

/** The tables whose rows wait until a provider accepts them. */
export type OutboxTable = 'messages' | 'notice_mails';

/** Columns that an update also sets, beside those that both tables have. */
const EXTRA_UPDATES: Readonly<Record<OutboxTable, string>> = {
  messages: `, updated_at = ${nextUpdatedAtSql('m')}`,
  notice_mails: '',
};

/** SQL condition over rows `m`: the mail server sends them, and no connection. */
const IS_MAIL: Readonly<Record<OutboxTable, string>> = {
  messages: ' and m.connection_id is null',
  notice_mails: '',
};

/** The wait of a row for its next attempt. */
export interface RetryWait {
  /** Until the next attempt. */
  seconds: number;
  /** False when the worker leased the row but did not offer it; that counts as no attempt. */
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

function postponeAtCommit(
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
 * SQL: a CTE named `next`, which picks and locks the row of account `$1` that has been due the
 * longest. `skip locked` lets concurrent workers find different rows. The join leaves sandboxes
 * out, because they never send.
 */
export function buildNextDueCte(table: OutboxTable): string {
  return `next as (
    select m.id from ${table} m join tenants o on o.tenant_id = m.tenant_id and o.environment = 'live'
    where m.tenant_id = $1 and m.state = 'queued' and m.attempt_after <= now()${IS_MAIL[table]}
    order by m.attempt_after, m.id limit 1 for no key update of m skip locked)`;
}

/** The account whose mails of the day are limited, and the limit. */
export interface DailyMailLimit {
  ref: RecordRef;
  mailsPerDay: number;
}

/**
 * Counts a row among the mails of the day and marks it as counted. Beyond the limit, postpones it
 * to the next day. Runs in the transaction that leases the row: a worker that dies leaves the row
 * either counted or not leased.
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

/** A due row, and how often a worker has offered it so far. */
export interface DueRow extends RecordRef {
  attempts: number;
}

export interface DueRowLimits {
  /** Maximum number of rows. */
  limit: number;
  /** Maximum number of rows of one account. */
  limitPerTenant: number;
  /** Only rows that have been due for at least this long. */
  overdueSeconds: number;
}

/**
 * Due rows of this transaction's tenants, round-robin between accounts, each account's longest due
 * first. An account with many rows does not keep the others waiting.
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
