/**
 * The number of days to search before and after an instant. Every cadence has a run time within
 * that many days.
 */
const SEARCH_DAYS = 34;

/**
 * Returns SQL for the run times of a schedule around an instant, as rows with the column `at`. The
 * schedule runs once on each day of its cadence, at its hour in the account's time zone.
 * If a daylight-saving change skips the hour, PostgreSQL moves the run later by the length of the
 * change. If the hour occurs twice, the run is at the second occurrence.
 * @param schedule the alias of the table export_schedules
 * @param zone SQL expression of an IANA time zone name
 * @param around the instant, as an SQL expression of a timestamptz
 */
export function scheduleTimesSql(schedule: string, zone: string, around: string): string {
  return `select (calendar.day + make_time(${schedule}.hour, 0, 0)) at time zone ${zone} as at
    from (select (${around} at time zone ${zone})::date + n as day from generate_series(${-SEARCH_DAYS}, ${SEARCH_DAYS}) n) calendar
    where case ${schedule}.cadence
      when 'daily' then true
      when 'weekly' then to_char(calendar.day, 'FMday') = ${schedule}.weekday
      else extract(day from calendar.day)
        = least(${schedule}.day, extract(day from date_trunc('month', calendar.day::timestamp) + interval '1 month' - interval '1 day')) end`;
}

/** Returns SQL for the first run time after an instant. */
export function nextScheduleTimeSql(schedule: string, zone: string, after = 'now()'): string {
  return `(select min(times.at) from (${scheduleTimesSql(schedule, zone, after)}) times where times.at > ${after})`;
}

/** Returns SQL for the last run time at or before an instant. */
function lastTimeSql(schedule: string, zone: string, until: string): string {
  return `(select max(times.at) from (${scheduleTimesSql(schedule, zone, until)}) times where times.at <= ${until})`;
}

/**
 * Returns SQL for the columns next_run_at, since and until of a run that is due now. `next_run_at`
 * is the first run time after now. The exported period begins on the day `since` and ends before
 * the day `until`. One run replaces all missed runs. Its period therefore also includes the periods
 * of the missed runs, so that no row is left out.
 */
export function runTimesSql(schedule: string, zone: string, now = 'now()'): string {
  const unit = `case ${schedule}.cadence when 'daily' then 'day' when 'weekly' then 'week' else 'month' end`;
  const startOfPeriod = (at: string) => `date_trunc(${unit}, (${at}) at time zone ${zone})`;
  return `${nextScheduleTimeSql(schedule, zone, now)} as next_run_at,
    (${startOfPeriod(`${schedule}.next_run_at`)} - ('1 ' || ${unit})::interval)::date::text as since,
    ${startOfPeriod(`greatest(${schedule}.next_run_at, ${lastTimeSql(schedule, zone, now)})`)}::date::text as until`;
}
