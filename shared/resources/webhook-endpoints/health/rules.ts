/**
 * When the service warns about, disables and probes a failing endpoint. In hours, unless a comment
 * says otherwise.
 */
export const HEALTH_RULES = {
  /** The service warns once at each of these durations of failure. */
  warnAfterHours: [24, 72, 96],
  /**
   * Disable the endpoint after this duration without a success. The latest failure must be at least
   * this long after the first.
   */
  disableAfterHours: 120,
  /**
   * Disable only if the latest failure is at most this old. Otherwise old failures would disable an
   * endpoint that receives no deliveries.
   */
  recentFailureHours: 24,
  /**
   * Consecutive failures that disabling also requires: as many as one delivery has attempts. One
   * failure at each end of five quiet days is not five days of failure.
   */
  minFailures: 10,
  /** Minimum time between two notices about exhausted deliveries. One notice covers all of them. */
  exhaustedNoticeHours: 1,
  /** Wait between disabling and the first probe. Each later wait doubles, up to `probeAtMost`. */
  firstProbeHours: 1,
  maxProbeHours: 24,
  /** Maximum number of probes: about eight weeks of them. */
  maxProbes: 60,
} as const;

const hours = (count: number) => `interval '${count} hours'`;

/**
 * SQL: the latest failure is at least this many hours after the first. Null, so not true, if the
 * endpoint queue has no failures.
 */
const failedFor = (count: number) => `l.last_failure_at >= l.failing_since + ${hours(count)}`;

/** SQL: the longest of the warning times that the failures have reached; null when none. */
export const REACHED_HOURS_SQL = `case ${[...HEALTH_RULES.warnAfterHours]
  .reverse()
  .map((count) => `when ${failedFor(count)} then ${count}`)
  .join(' ')} end`;

/** A change of an endpoint's health that the clock submits as a command. */
export type HealthStep = 'disable' | 'recover' | 'warn' | 'heal' | 'probe';

/**
 * SQL: the next step of an endpoint `e` with the row `l` of webhook_lanes; null when no step is
 * due. The sweep evaluates it, and the command evaluates it again after it locked the rows. So a
 * step that two sweeps find runs once, and a step that a worker has made obsolete does not run.
 */
export const NEXT_STEP_SQL = `case
  when e.deleted_at is not null then null
  when l.stop_reason is not null and (e.enabled or e.disabled_reason = 'failing') then 'disable'
  when e.enabled then case
    when ${failedFor(HEALTH_RULES.disableAfterHours)} and l.last_failure_at > now() - ${hours(HEALTH_RULES.recentFailureHours)}
      and l.consecutive_failures >= ${HEALTH_RULES.minFailures} then 'disable'
    -- The endpoint may have failed again since, but for less time than the warning named.
    when l.warned_hours > 0 and (l.failing_since is null or l.failing_since > now() - make_interval(hours => l.warned_hours)) then 'recover'
    when ${REACHED_HOURS_SQL} > l.warned_hours then 'warn' end
  when e.disabled_reason = 'failing' then case
    -- disabled_at has a precision of milliseconds.
    when date_trunc('milliseconds', l.last_success_at) > e.disabled_at then 'heal'
    when l.probe_after <= now() and l.probes < ${HEALTH_RULES.maxProbes} then 'probe' end
  end`;

/** SQL: an exhausted delivery awaits its notice, and the previous notice is old enough. */
export const IS_EXHAUSTED_NOTICE_DUE_SQL = `(e.deleted_at is null and l.exhausted_count > l.exhausted_told_count
  and (l.exhausted_told_at is null or l.exhausted_told_at <= now() - ${hours(HEALTH_RULES.exhaustedNoticeHours)}))`;

/**
 * SQL: rows of webhook_lanes for which a step may be due. Most rows have none, so the sweep need
 * not read their endpoints.
 */
export const MAY_HAVE_STEP_SQL =
  '(l.failing_since is not null or l.stop_reason is not null or l.warned_hours > 0 or l.exhausted_count > l.exhausted_told_count)';
