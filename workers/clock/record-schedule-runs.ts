import type { Job, Processor } from 'bullmq';
import { addCollectedGauge } from '../../shared/platform/metrics.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import type { ClockJob, Interval } from '../../shared/queues/clock.js';
import {
  readScheduleRuns,
  recordScheduleFailure,
  recordScheduleSuccess,
  registerSchedules,
} from '../../shared/queues/schedule-runs.js';

/**
 * Minimum time between two stored successes of a schedule. Some schedules fire every two seconds,
 * so storing each success would be wasteful.
 */
const SUCCESS_STORED_EVERY_MS = 10_000;

/**
 * Wraps the clock's processor, and stores when each schedule succeeded or failed. `/readyz` and
 * `tow doctor` read the stored runs, possibly in other processes.
 */
export function recordScheduleRuns(
  { db, logger }: Runtime,
  schedules: readonly Interval[],
  processor: Processor<ClockJob>,
): Processor<ClockJob> {
  const names = new Set(schedules.map(({ name }) => name));
  const storedAt = new Map<string, number>();
  return async (job: Job<ClockJob>) => {
    if (!names.has(job.name)) return processor(job);
    try {
      await processor(job);
    } catch (error) {
      storedAt.delete(job.name);
      // If storing the failure fails too, only log this second error. The job must fail with the
      // error of the task.
      await recordScheduleFailure(db, job.name, error).catch((cause: unknown) =>
        logger.warn({ err: cause, task: job.name }, 'could not store the failure of a schedule'),
      );
      throw error;
    }
    const last = storedAt.get(job.name) ?? Number.NEGATIVE_INFINITY;
    if (performance.now() - last < SUCCESS_STORED_EVERY_MS) return;
    // The work is done. If storing its success fails, only log the error: throwing the error would
    // make the job run again.
    await recordScheduleSuccess(db, job.name).then(
      () => storedAt.set(job.name, performance.now()),
      (error: unknown) =>
        logger.warn({ err: error, task: job.name }, 'could not store the success of a schedule'),
    );
  };
}

/**
 * Shows in `/readyz` and `/metrics` when each schedule last succeeded. A late schedule does not
 * make the process unready, because a restart would not help.
 */
export async function reportSchedules(
  { db, reports, logger, metrics }: Runtime,
  schedules: readonly Interval[],
): Promise<void> {
  await registerSchedules(db, schedules).catch((error: unknown) =>
    logger.warn({ err: error }, 'could not register the schedules; each is registered by its first success'),
  );
  addCollectedGauge(metrics, {
    name: 'tow_schedule_age_seconds',
    help: 'Seconds since a schedule of the clock last succeeded in any process',
    labelNames: ['schedule'],
    collect: async (set) => {
      const runs = await readScheduleRuns(db, schedules);
      for (const { schedule, age_seconds: age } of runs) if (age !== null) set({ schedule }, age);
    },
  });
  reports.set('schedules', async () => {
    const runs = await readScheduleRuns(db, schedules);
    return Object.fromEntries(
      runs.map(({ schedule, last_succeeded_at, last_failed_at, is_late }) => [
        schedule,
        { ok: !is_late, last_succeeded_at, last_failed_at },
      ]),
    );
  });
}
