import type { Transaction } from '../../platform/postgres.js';

/** Why a message waits although its provider could take it, in words for the account. */
export interface HeldMail {
  reason: string;
  /** Until its time in the first hour of the next day. */
  seconds: number;
}

const DAY_SECONDS = 86_400;
const SPREAD_SECONDS = 3600;

/**
 * How long something waits that a day held back: into the first hour of the next one, in the order
 * in which it was held. What met the bound at noon is due at half past midnight.
 * @param leftSeconds of the day
 */
export function waitForNextDay(leftSeconds: number): number {
  const passed = 1 - leftSeconds / DAY_SECONDS;
  return Math.ceil(leftSeconds + SPREAD_SECONDS * passed);
}

/**
 * Counts one more mail or text message of an account for this day of UTC, not of the account's
 * time zone: a change of that must not begin a new day. All workers count in one row. Both count
 * together, for either reaches somebody who did not ask for it; what only lies in the outbox does
 * not come here. Undefined: it may be sent; else it waits for the next day.
 */
export async function takeMailOfDay(
  tx: Transaction,
  tenantId: string,
  perDay: number,
): Promise<HeldMail | undefined> {
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
    seconds: waitForNextDay(row.left_seconds),
  };
}
