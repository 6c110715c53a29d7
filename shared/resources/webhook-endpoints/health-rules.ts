/** When an endpoint that fails is told of, disabled and tried again. In hours, unless it says otherwise. */
export const HEALTH = {
  /** How long it must have failed to be told of, once for each. */
  warnAfter: [24, 72, 96],
  /** Failing for so long, it is disabled: not one success, and the latest failure at least this long after the first. */
  disableAfter: 120,
  /** The latest failure must be as fresh as this, so that an endpoint nobody sends anything to is not disabled for old failures. */
  recent: 24,
  /** Tries in a row that must have failed by then: as many as one delivery has. One failure at each end of five quiet days is no five days of failure. */
  minFailures: 10,
  /** Exhausted deliveries are told at most once in this time, those of it together. */
  exhaustedEvery: 1,
  /** Wait between disabling and the first probe; each wait after it is twice as long, up to `probeAtMost`. */
  probeAfter: 1,
  probeAtMost: 24,
  /** Probes altogether: about eight weeks of them. */
  maxProbes: 60,
} as const;

const hours = (count: number) => `interval '${count} hours'`;

/** True once the lane has failed for so many hours and has failed again after them; false too when it does not fail at all. */
const failedFor = (count: number) => `l.last_failure_at >= l.failing_since + ${hours(count)}`;

/** The longest time to warn of that has been reached; null when none has. */
export const REACHED_HOURS = `case ${[...HEALTH.warnAfter]
  .reverse()
  .map((count) => `when ${failedFor(count)} then ${count}`)
  .join(' ')} end`;

/** What is next for an endpoint. */
export type HealthStep = 'disable' | 'recover' | 'warn' | 'heal' | 'probe';

/**
 * The next step of an endpoint `e` with the lane `l`; null when there is none. The sweep looks for it, and its command takes it only if it still is the next one
 * once the rows are locked: so a step that is found twice is taken once, and none is taken on what a worker has overtaken.
 */
export const NEXT_STEP = `case
  when e.deleted_at is not null then null
  when l.stop_reason is not null and (e.enabled or e.disabled_reason = 'failing') then 'disable'
  when e.enabled then case
    when ${failedFor(HEALTH.disableAfter)} and l.last_failure_at > now() - ${hours(HEALTH.recent)}
      and l.consecutive_failures >= ${HEALTH.minFailures} then 'disable'
    -- It may have failed again since: then for less time than it was warned of.
    when l.warned_hours > 0 and (l.failing_since is null or l.failing_since > now() - make_interval(hours => l.warned_hours)) then 'recover'
    when ${REACHED_HOURS} > l.warned_hours then 'warn' end
  when e.disabled_reason = 'failing' then case
    -- The time of the disabling has milliseconds.
    when date_trunc('milliseconds', l.last_success_at) > e.disabled_at then 'heal'
    when l.probe_after <= now() and l.probes < ${HEALTH.maxProbes} then 'probe' end
  end`;

/** True when deliveries of the lane were exhausted that nobody was told of, and the last telling is long enough ago. */
export const TELLS_EXHAUSTED = `(e.deleted_at is null and l.exhausted_count > l.exhausted_told_count
  and (l.exhausted_told_at is null or l.exhausted_told_at <= now() - ${hours(HEALTH.exhaustedEvery)}))`;

/** Lanes that may have a step at all; most have none, and their endpoints need not be looked up. */
export const MAY_HAVE_STEP =
  '(l.failing_since is not null or l.stop_reason is not null or l.warned_hours > 0 or l.exhausted_count > l.exhausted_told_count)';
