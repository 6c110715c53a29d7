/** Days to each side of today among which every cadence has a time. */
const DAYS = 34;

/**
 * SQL: the times of a schedule around an instant, as rows of `at`. One for each day that its cadence names, at its hour in the tenant's time zone as
 * PostgreSQL reads it: an hour that a day does not have comes later by what the clocks are put forward, and one that it has twice is the second.
 * @param schedule alias of export_schedules
 * @param zone expression of an IANA name
 * @param around expression of a timestamptz
 */
export function timesSql(schedule: string, zone: string, around: string): string {
  return `select (calendar.day + make_time(${schedule}.hour, 0, 0)) at time zone ${zone} as at
    from (select (${around} at time zone ${zone})::date + n as day from generate_series(${-DAYS}, ${DAYS}) n) calendar
    where case ${schedule}.cadence
      when 'daily' then true
      when 'weekly' then to_char(calendar.day, 'FMday') = ${schedule}.weekday
      else extract(day from calendar.day)
        = least(${schedule}.day, extract(day from date_trunc('month', calendar.day::timestamp) + interval '1 month' - interval '1 day')) end`;
}

/** SQL: the first time of a schedule after an instant. Parameters as of {@link timesSql}. */
export function nextTimeSql(schedule: string, zone: string, after = 'now()'): string {
  return `(select min(times.at) from (${timesSql(schedule, zone, after)}) times where times.at > ${after})`;
}

/** SQL: the last time of a schedule that an instant has reached. Parameters as of {@link timesSql}. */
function lastTimeSql(schedule: string, zone: string, until: string): string {
  return `(select max(times.at) from (${timesSql(schedule, zone, until)}) times where times.at <= ${until})`;
}

/**
 * SQL: what a run that is due now stands for, as columns: `next_run_at`, the first time after now; `since` and `until`, the days from and before which the
 * period is that comes before it. Runs that were missed are made up for by one, so its period goes on to the last of them and no row is left out.
 * @param schedule alias of export_schedules, with a next_run_at in the past
 * @param zone expression of an IANA name
 * @param now expression of a timestamptz
 */
export function runTimesSql(schedule: string, zone: string, now = 'now()'): string {
  const unit = `case ${schedule}.cadence when 'daily' then 'day' when 'weekly' then 'week' else 'month' end`;
  const begin = (at: string) => `date_trunc(${unit}, (${at}) at time zone ${zone})`;
  return `${nextTimeSql(schedule, zone, now)} as next_run_at,
    (${begin(`${schedule}.next_run_at`)} - ('1 ' || ${unit})::interval)::date::text as since,
    ${begin(`greatest(${schedule}.next_run_at, ${lastTimeSql(schedule, zone, now)})`)}::date::text as until`;
}
