import type { QuietHours } from '../../integrations/contract/text-limits.js';
import type { Transaction } from '../../platform/postgres/database.js';

/** A connection that sends texts. */
export interface TextConnectionRef {
  tenant_id: string;
  connection_id: string;
}

/** The end of the current quiet hours. */
export interface QuietEnd {
  seconds: number;
  /** The account's time zone. */
  zone: string;
}

/**
 * Finds the end of the quiet hours, if the time is within them. PostgreSQL compares local times. On
 * the day of a clock change, the quiet hours may therefore be an hour shorter or longer.
 * @param at the time to check; by default, now
 */
export async function findQuietEnd(
  tx: Transaction,
  tenantId: string,
  { from, to }: QuietHours,
  at?: Date,
): Promise<QuietEnd | undefined> {
  const [row] = await tx.query<QuietEnd & { is_quiet: boolean }>({
    name: 'find-quiet-end',
    text: `with facts as (
             select t.time_zone as zone, coalesce($4::timestamptz, now()) as at, $2::time as quiet_from, $3::time as quiet_to
             from tenants t where t.tenant_id = $1),
           wall as (select *, (at at time zone zone)::date as day, (at at time zone zone)::time as clock from facts)
           select zone,
             case when quiet_from < quiet_to then clock >= quiet_from and clock < quiet_to
               else clock >= quiet_from or clock < quiet_to end as is_quiet,
             ceil(extract(epoch from
               (day + case when clock < quiet_to then 0 else 1 end + quiet_to) at time zone zone - at))::int as seconds
           from wall`,
    values: [tenantId, from, to, at?.toISOString() ?? null],
  });
  return row?.is_quiet ? { seconds: Math.max(row.seconds, 1), zone: row.zone } : undefined;
}

/**
 * SQL for the current day in the account's time zone. The query must name the table `t` (tenants).
 */
const TODAY_SQL = '(now() at time zone t.time_zone)::date';

/**
 * Counts the segments of a text against the daily limit of the connection.
 * @returns false if the text exceeds the limit; its segments are then not counted
 */
export async function reserveSegments(
  tx: Transaction,
  { tenant_id, connection_id }: TextConnectionRef,
  { segments, perDay }: { segments: number; perDay: number },
): Promise<boolean> {
  // Insert the row of the day even if its first text exceeds the limit, because the row also
  // records whether the notice was sent.
  await tx.query({
    name: 'open-text-day',
    text: `with today as (select ${TODAY_SQL} as day from tenants t where t.tenant_id = $1),
           passed as (
             delete from text_days d using today where d.tenant_id = $1 and d.connection_id = $2 and d.day < today.day - 1)
           insert into text_days (tenant_id, connection_id, day, segments) select $1, $2, day, 0 from today
           on conflict (tenant_id, connection_id, day) do nothing`,
    values: [tenant_id, connection_id],
  });
  const rows = await tx.query({
    name: 'take-segments-of-day',
    text: `update text_days d set segments = d.segments + $3::int from tenants t
           where t.tenant_id = $1 and d.tenant_id = $1 and d.connection_id = $2 and d.day = ${TODAY_SQL}
             and d.segments + $3::int <= $4::int
           returning 1`,
    values: [tenant_id, connection_id, segments, perDay],
  });
  return rows.length > 0;
}

/**
 * Subtracts the segments that {@link reserveSegments} counted, because the text will not be sent
 * today.
 */
export async function releaseSegments(
  tx: Transaction,
  { tenant_id, connection_id }: TextConnectionRef,
  segments: number,
): Promise<void> {
  await tx.query({
    name: 'release-segments-of-day',
    text: `update text_days d set segments = greatest(d.segments - $3::int, 0) from tenants t
           where t.tenant_id = $1 and d.tenant_id = $1 and d.connection_id = $2 and d.day = ${TODAY_SQL}`,
    values: [tenant_id, connection_id, segments],
  });
}

/**
 * Records that the account gets today's notice about the connection's limit.
 * @returns false if the account has already received today's notice
 */
export async function takeNoticeOfDay(
  tx: Transaction,
  { tenant_id, connection_id }: TextConnectionRef,
): Promise<boolean> {
  const rows = await tx.query({
    name: 'take-notice-of-text-day',
    text: `update text_days d set noticed_at = now() from tenants t
           where t.tenant_id = $1 and d.tenant_id = $1 and d.connection_id = $2 and d.day = ${TODAY_SQL} and d.noticed_at is null
           returning 1`,
    values: [tenant_id, connection_id],
  });
  return rows.length > 0;
}
