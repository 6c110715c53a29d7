/** The rules for warning about, disabling and probing failing endpoints. Durations are in hours. */
export const HEALTH_RULES = {
  /** The service warns once after each of these durations of failure. */
  warnAfterHours: [24, 72, 96],
  /**
   * An endpoint is disabled after failing for this long without a success, counted from the first
   * to the latest failure.
   */
  disableAfterHours: 120,
  /**
   * An endpoint is disabled only if the latest failure is at most this old. Otherwise old failures
   * would disable an endpoint that receives no deliveries.
   */
  recentFailureHours: 24,
  /**
   * An endpoint is disabled only after this many consecutive failures, which is the number of
   * attempts of one delivery. Otherwise one failure at each end of five quiet days would count as
   * five days of failure.
   */
  minFailures: 10,
  /** Minimum time between two notices about exhausted deliveries of an endpoint. */
  exhaustedNoticeHours: 1,
  /**
   * The time between the disabling of an endpoint and its first probe. The wait doubles after each
   * probe, up to `maxProbeHours`.
   */
  firstProbeHours: 1,
  maxProbeHours: 24,
  /** Maximum number of probes, which together last about eight weeks. */
  maxProbes: 60,
} as const;

const hours = (count: number) => `interval '${count} hours'`;

/**
 * Returns the SQL condition that the latest failure is at least `count` hours after the first. If
 * the endpoint queue has no failures, the condition is null and counts as not met.
 */
const failedFor = (count: number) => `l.last_failure_at >= l.failing_since + ${hours(count)}`;

/**
 * SQL for the longest duration in `warnAfterHours` that lies between the first and the latest
 * failure of a series. The value is null if the series is shorter than every duration.
 */
export const REACHED_HOURS_SQL = `case ${[...HEALTH_RULES.warnAfterHours]
  .reverse()
  .map((count) => `when ${failedFor(count)} then ${count}`)
  .join(' ')} end`;

/** A change of an endpoint's health that the clock submits as a command. */
export type HealthStep = 'disable' | 'recover' | 'warn' | 'heal' | 'probe';

/**
 * SQL for the next step of an endpoint `e` with the row `l` of webhook_lanes. The value is null if
 * no step is due. The sweep evaluates this expression, and the command evaluates it again after
 * locking the rows. So if two sweeps find the same step, the step runs once. If a worker has made a
 * step obsolete, the step does not run.
 */
export const NEXT_STEP_SQL = `case
  when e.deleted_at is not null then null
  when l.stop_reason is not null and (e.enabled or e.disabled_reason = 'failing') then 'disable'
  when e.enabled then case
    when ${failedFor(HEALTH_RULES.disableAfterHours)} and l.last_failure_at > now() - ${hours(HEALTH_RULES.recentFailureHours)}
      and l.consecutive_failures >= ${HEALTH_RULES.minFailures} then 'disable'
    -- After a success, the endpoint may have failed again, but for less than warned_hours.
    when l.warned_hours > 0 and (l.failing_since is null or l.failing_since > now() - make_interval(hours => l.warned_hours)) then 'recover'
    when ${REACHED_HOURS_SQL} > l.warned_hours then 'warn' end
  when e.disabled_reason = 'failing' then case
    -- Truncate the time, because disabled_at has a precision of milliseconds.
    when date_trunc('milliseconds', l.last_success_at) > e.disabled_at then 'heal'
    when l.probe_after <= now() and l.probes < ${HEALTH_RULES.maxProbes} then 'probe' end
  end`;

/**
 * SQL condition: a delivery has used all its attempts since the previous notice, and that notice is
 * at least `exhaustedNoticeHours` old.
 */
export const IS_EXHAUSTED_NOTICE_DUE_SQL = `(e.deleted_at is null and l.exhausted_count > l.exhausted_told_count
  and (l.exhausted_told_at is null or l.exhausted_told_at <= now() - ${hours(HEALTH_RULES.exhaustedNoticeHours)}))`;

/**
 * SQL condition on rows `l` of webhook_lanes: a step or a notice may be due. Most rows do not
 * match, so the sweep does not read their endpoints.
 */
export const MAY_HAVE_STEP_SQL =
  '(l.failing_since is not null or l.stop_reason is not null or l.warned_hours > 0 or l.exhausted_count > l.exhausted_told_count)';
