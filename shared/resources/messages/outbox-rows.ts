import type { Database, Transaction } from '../../platform/postgres.js';
import { nextUpdatedAt, type RecordRef } from '../sets.js';
import { takeTurns } from '../sweep-turns.js';
import { type HeldMail, takeMailOfDay } from './mail-day.js';

/** The tables whose rows wait until a provider takes them. */
export type OutboxTable = 'messages' | 'notice_mails';

/** What changes with a row beside what both tables have. */
const TOUCHED: Readonly<Record<OutboxTable, string>> = {
  messages: `, updated_at = ${nextUpdatedAt('m')}`,
  notice_mails: '',
};

/** How long a row waits for its next attempt. */
export interface Wait {
  /** Until the next attempt. */
  seconds: number;
  /** False: it was claimed and not offered, which is no attempt. */
  wasOffered: boolean;
}

export interface PutOff extends Wait {
  reason: string;
}

/** Puts off the next attempt of a row, and keeps why. */
export async function putOff(
  db: Database,
  table: OutboxTable,
  wait: PutOff & { ref: RecordRef },
): Promise<void> {
  await db.transaction([wait.ref.tenant_id], async (tx) => putOffAtCommit(tx, table, wait));
}

function putOffAtCommit(
  tx: Transaction,
  table: OutboxTable,
  { ref, reason, seconds, wasOffered }: PutOff & { ref: RecordRef },
): void {
  tx.queryAtCommit({
    name: `put-off-${table}`,
    text: `update ${table} m set error = $3, attempt_after = now() + make_interval(secs => $4),
             attempts = m.attempts - $5::integer${TOUCHED[table]}
           where m.tenant_id = $1 and m.id = $2 and m.state = 'queued'`,
    values: [ref.tenant_id, ref.id, reason, seconds, wasOffered ? 0 : 1],
  });
}

/**
 * The row `next` of an account (`$1`) that has been due the longest, locked: workers that look at
 * the same time find different ones. A sandbox has none, whatever its rows say.
 */
export function lockNextDue(table: OutboxTable): string {
  return `next as (
    select m.id from ${table} m join tenants o on o.tenant_id = m.tenant_id and o.environment = 'live'
    where m.tenant_id = $1 and m.state = 'queued' and m.attempt_after <= now()
    order by m.attempt_after, m.id limit 1 for no key update of m skip locked)`;
}

/** Whose mails a day bounds, and how many of them there may be. */
export interface DayBound {
  ref: RecordRef;
  perDay: number;
}

/**
 * Counts a row among the mails of the day, and marks it as counted; beyond the bound it is put off
 * to the next day. In the transaction that claims the row, so that a worker that dies leaves it
 * either counted or unclaimed.
 */
export async function countOrHold(
  tx: Transaction,
  table: OutboxTable,
  { ref, perDay }: DayBound,
): Promise<HeldMail | undefined> {
  const held = await takeMailOfDay(tx, ref.tenant_id, perDay);
  if (held) putOffAtCommit(tx, table, { ref, ...held, wasOffered: false });
  else
    tx.queryAtCommit({
      name: `count-${table}`,
      text: `update ${table} set counted_at = now() where tenant_id = $1 and id = $2`,
      values: [ref.tenant_id, ref.id],
    });
  return held;
}

/** A row that is due, and how often it was offered so far. */
export interface DueRow extends RecordRef {
  attempts: number;
}

export interface DueBounds {
  /** Rows at most. */
  limit: number;
  /** Rows of one account at most. */
  perTenant: number;
  /** For how long a row must have been due. */
  overdueSeconds: number;
}

/**
 * Queued rows of this transaction's tenants that are due. The accounts take turns, each with its
 * longest due first, so one with many does not keep the others waiting.
 */
export function findDueRows(
  tx: Transaction,
  table: OutboxTable,
  { limit, perTenant, overdueSeconds }: DueBounds,
): Promise<DueRow[]> {
  return tx.query<DueRow>({
    name: `sweep-${table}`,
    text: `${takeTurns(`select m.tenant_id, m.id, m.attempts, m.attempt_after from ${table} m
             where m.tenant_id = t.tenant_id and m.state = 'queued'
               and m.attempt_after <= now() - make_interval(secs => $3)
             order by m.attempt_after, m.id limit $2`)}, due.attempt_after limit $1`,
    values: [limit, perTenant, overdueSeconds],
  });
}
