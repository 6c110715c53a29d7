import { describeError } from '../platform/describe-error.js';
import type { Database } from '../platform/postgres/database.js';
import type { Interval } from './clock.js';

/** The last success and the last failure of a schedule. Times are RFC 3339. */
export interface ScheduleRun {
  schedule: string;
  last_succeeded_at: string | null;
  last_failed_at: string | null;
  last_error: string | null;
  /** Seconds since the last success; null if the schedule has never succeeded. */
  age_seconds: number | null;
  /** True if the last success is too long ago for the schedule's interval. */
  is_late: boolean;
}

/**
 * A schedule is late after this many intervals without a success, but never before LATE_AFTER_MS. A
 * restart therefore does not make a schedule with a short interval late.
 */
const LATE_AFTER_INTERVALS = 3;
const LATE_AFTER_MS = 120_000;

/**
 * Inserts the schedules that this database does not know yet. Their time without a success counts
 * from now.
 */
export async function registerSchedules(db: Database, schedules: readonly Interval[]): Promise<void> {
  await db.query({
    text: 'insert into clock.schedule_runs (schedule) select unnest($1::text[]) on conflict do nothing',
    values: [schedules.map(({ name }) => name)],
  });
}

/**
 * Records that a schedule has succeeded now. Clocks do not wait for each other's row locks, because
 * each schedule has its own row and runs in one clock at a time.
 */
export async function recordScheduleSuccess(db: Database, schedule: string): Promise<void> {
  await db.query({
    name: 'record-schedule-success',
    text: `insert into clock.schedule_runs as r (schedule, last_succeeded_at) values ($1, now())
           on conflict (schedule) do update set last_succeeded_at = excluded.last_succeeded_at`,
    values: [schedule],
  });
}

export async function recordScheduleFailure(db: Database, schedule: string, error: unknown): Promise<void> {
  await db.query({
    name: 'record-schedule-failure',
    text: `insert into clock.schedule_runs as r (schedule, last_failed_at, last_error) values ($1, now(), $2)
           on conflict (schedule) do update set last_failed_at = excluded.last_failed_at, last_error = excluded.last_error`,
    values: [schedule, describeError(error)],
  });
}

/**
 * Returns the last success and failure of each schedule, sorted by name. Returns no rows if no
 * clock has ever started on this database.
 */
export function readScheduleRuns(db: Database, schedules: readonly Interval[]): Promise<ScheduleRun[]> {
  const lateAfter = schedules.map(({ name, everyMs }) => ({
    schedule: name,
    seconds: Math.max(everyMs * LATE_AFTER_INTERVALS, LATE_AFTER_MS) / 1000,
  }));
  return db.query<ScheduleRun>({
    text: `select r.schedule, to_json(r.last_succeeded_at) #>> '{}' as last_succeeded_at,
             to_json(r.last_failed_at) #>> '{}' as last_failed_at, r.last_error,
             extract(epoch from now() - r.last_succeeded_at)::integer as age_seconds,
             coalesce(r.last_succeeded_at, r.known_since) < now() - make_interval(secs => s.seconds) as is_late
           from jsonb_to_recordset($1::jsonb) as s(schedule text, seconds float8)
           join clock.schedule_runs r on r.schedule = s.schedule order by r.schedule`,
    values: [JSON.stringify(lateAfter)],
  });
}
