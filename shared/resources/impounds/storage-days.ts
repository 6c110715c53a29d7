/**
 * SQL: days that storage is charged for, over `i` impounds and `t` tenants: the calendar days of the account's time zone on which the vehicle stood in the
 * yard, the first and the last one included, without the free ones. Those that have accrued are never taken back by the clock.
 */
export const STORAGE_DUE = `(case when i.released_at is not null then i.accrued_days
  else greatest(i.accrued_days, ${chargedDays('i', 'now()')}) end)`;

/** SQL: days that a vehicle has stood until then; a day that has started counts. Over `t` tenants. */
export function startedDays(alias: string, until: string): string {
  return `((${until} at time zone t.time_zone)::date - (${alias}.impounded_at at time zone t.time_zone)::date + 1)`;
}

/** SQL: of them those that are charged. */
export function chargedDays(alias: string, until: string): string {
  return `greatest(0, ${startedDays(alias, until)} - ${alias}.free_days)`;
}
