import type { Transaction } from '../../platform/postgres/database.js';

/** The wait of a message whose account has reached its daily limit. */
export interface DeferredMail {
  /** The account sees this text. */
  reason: string;
  /** Seconds until the message is due, in the first hour of the next day (UTC). */
  seconds: number;
}

const DAY_SECONDS = 86_400;
const SPREAD_SECONDS = 3600;

/**
 * Returns the number of seconds that a mail beyond the daily limit waits. Such mails become due
 * within the first hour of the next day, in the sequence in which they reached the limit. For
 * example, a mail that reached the limit at noon is due at 00:30.
 * @param leftSeconds seconds until the end of the day
 */
export function computeWaitForNextDay(leftSeconds: number): number {
  const passed = 1 - leftSeconds / DAY_SECONDS;
  return Math.ceil(leftSeconds + SPREAD_SECONDS * passed);
}

/**
 * Counts a mail or text message against the account's daily limit. If the limit is reached, returns
 * how long the message must wait. The callers do not count messages of the `outbox` provider.
 * Mails and texts share one limit, because both may disturb people who did not ask for them. The
 * day is a UTC day, so a change of the account's time zone does not start a new day. All workers
 * count in the same row.
 * @returns undefined if the message may be sent
 */
export async function reserveDailyMail(
  tx: Transaction,
  tenantId: string,
  perDay: number,
): Promise<DeferredMail | undefined> {
  const [row] = await tx.query<{ is_taken: boolean; left_seconds: number }>({
    name: 'take-mail-of-day',
    text: `with today as (select (now() at time zone 'UTC')::date as day),
           passed as (delete from mail_days m using today where m.tenant_id = $1 and m.day < today.day),
           taken as (
             insert into mail_days as m (tenant_id, day, mails) select $1, day, 1 from today
             on conflict (tenant_id, day) do update set mails = m.mails + 1 where m.mails < $2
             returning 1)
           select exists (select from taken) as is_taken,
             extract(epoch from (today.day + 1)::timestamp at time zone 'UTC' - now())::float8 as left_seconds from today`,
    values: [tenantId, perDay],
  });
  if (!row || row.is_taken) return undefined;
  return {
    reason: `This account has sent its ${perDay} mails and text messages of today (UTC). This one waits for tomorrow.`,
    seconds: computeWaitForNextDay(row.left_seconds),
  };
}
