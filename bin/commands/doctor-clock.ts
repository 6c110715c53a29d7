import type { Database } from '../../shared/platform/postgres/database.js';
import { readScheduleRuns } from '../../shared/queues/schedule-runs.js';
import { isInSessionTenants } from '../../shared/records/session-tenants.js';
import { LIST_SWEEP_FAILURES, type SweepFailure } from '../../shared/records/sweeps/sweep-failures.js';
import { loadPostgresTimeZones } from '../../shared/resources/settings/time-zones.js';
import { SCHEDULES } from '../../workers/clock/processor.js';
import { readAcrossTenants } from '../cli/store.js';

export const REMEDY_FOR_CLOCK =
  'Start a clock (npm start, or `node dist/workers/main.js clock`); its log names the cause of each failed job.';
export const REMEDY_FOR_ACCOUNTS =
  'Give the account a time zone that PostgreSQL knows (PATCH /settings); for any other cause see the log of the clock.';

/** Maximum number of accounts that the error message names. Further accounts are only counted. */
const MAX_NAMED = 20;

/**
 * Resolves with the last success of every schedule.
 * @throws {Error} naming each late schedule and why it last failed
 */
export async function checkClock(db: Database): Promise<string> {
  const runs = await readScheduleRuns(db, SCHEDULES);
  if (runs.length === 0) return 'no clock has run on this database yet';
  const late = runs.filter(({ is_late }) => is_late);
  if (late.length > 0) throw new Error(late.map(describeLate).join('; '));
  const ages = runs.map(({ schedule, age_seconds: age }) =>
    age === null ? `${schedule} not yet` : `${schedule} ${age} s ago`,
  );
  return `last successes: ${ages.join(', ')}`;
}

type ScheduleRun = Awaited<ReturnType<typeof readScheduleRuns>>[number];

function describeLate({ schedule, last_succeeded_at: at, last_failed_at, last_error }: ScheduleRun): string {
  const isFailing = last_error !== null && (at === null || (last_failed_at ?? '') > at);
  const cause = isFailing ? ` (${last_error})` : '';
  return at === null
    ? `${schedule} has never succeeded${cause}`
    : `${schedule} last succeeded at ${at}${cause}`;
}

/**
 * Resolves if every account has a known time zone, and if no sweep (a pass over all accounts) omits
 * an account.
 * @throws {Error} naming the accounts with an unknown time zone, and the accounts that a sweep
 *   omits
 */
export async function checkAccounts(db: Database): Promise<string> {
  const [zones, accounts, faults] = await Promise.all([
    loadPostgresTimeZones(db),
    readAcrossTenants<{ id: string; time_zone: string }>(
      db,
      `select t.tenant_id as id, t.time_zone from tenants t where ${isInSessionTenants('t')}`,
    ),
    readAcrossTenants<SweepFailure>(db, LIST_SWEEP_FAILURES),
  ]);
  const found = [
    ...accounts
      .filter(({ time_zone: zone }) => !zones.has(zone.toLowerCase()))
      .map(({ id, time_zone: zone }) => `${id} has the time zone ${zone}, which PostgreSQL does not know`),
    ...faults.map(
      ({ tenant_id: id, task, error, failed_since }) =>
        `${id} is left out of ${task} since ${failed_since} (${error})`,
    ),
  ];
  if (found.length === 0) return 'no sweep leaves out an account';
  const more = found.length > MAX_NAMED ? [`and ${found.length - MAX_NAMED} more`] : [];
  throw new Error([...found.slice(0, MAX_NAMED), ...more].join('; '));
}
