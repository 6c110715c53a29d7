import type { Database } from '../../platform/postgres.js';

/** Why a mail waits although its server could take it, in words for the account. */
export interface HeldMail {
  reason: string;
  /** Until the next day begins. */
  seconds: number;
}

/**
 * Counts one more mail of an account for this day of UTC, not of the account's time zone: a change of that must not begin a new day. All workers count in
 * one row. Undefined: it may be sent; else it waits for the next day.
 */
export async function takeMailOfDay(
  db: Database,
  tenantId: string,
  perDay: number,
): Promise<HeldMail | undefined> {
  const [row] = await db.transaction([tenantId], (tx) =>
    tx.query<{ is_taken: boolean; seconds: number }>({
      name: 'take-mail-of-day',
      text: `with today as (select (now() at time zone 'UTC')::date as day),
             passed as (delete from mail_days m using today where m.tenant_id = $1 and m.day < today.day),
             taken as (
               insert into mail_days as m (tenant_id, day, mails) select $1, day, 1 from today
               on conflict (tenant_id, day) do update set mails = m.mails + 1 where m.mails < $2
               returning 1)
             select exists (select from taken) as is_taken,
               ceil(extract(epoch from (today.day + 1)::timestamp at time zone 'UTC' - now()))::integer as seconds from today`,
      values: [tenantId, perDay],
    }),
  );
  if (!row || row.is_taken) return undefined;
  return {
    reason: `This account has sent its ${perDay} mails of today (UTC). This one waits for tomorrow.`,
    seconds: row.seconds,
  };
}
