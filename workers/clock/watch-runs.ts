import type { Job, Processor } from 'bullmq';
import { addCollectedGauge } from '../../shared/platform/metrics.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import { type ClockJob, SCHEDULES } from '../../shared/queues/clock.js';
import {
  noteSchedules,
  readScheduleRuns,
  recordFailure,
  recordSuccess,
} from '../../shared/queues/schedule-runs.js';

/** A success is stored this often at most: some schedules fire every two seconds. In ms. */
const SUCCESS_STORED_EVERY_MS = 10_000;

/**
 * Stores when each schedule succeeds or fails, for `/readyz` and for `tow doctor`, which runs in
 * another process.
 */
export function watchRuns(runtime: Runtime, processor: Processor<ClockJob>): Processor<ClockJob> {
  const { db, logger } = runtime;
  const storedAt = new Map<string, number>();
  return async (job: Job<ClockJob>) => {
    if (!Object.hasOwn(SCHEDULES, job.name)) return processor(job);
    try {
      await processor(job);
    } catch (error) {
      storedAt.delete(job.name);
      // The job's own error is the one to throw; doctor may then show the cause of an earlier
      // failure.
      await recordFailure(db, job.name, error).catch((cause: unknown) =>
        logger.warn({ err: cause, task: job.name }, 'a failure was not stored'),
      );
      throw error;
    }
    const last = storedAt.get(job.name) ?? Number.NEGATIVE_INFINITY;
    if (performance.now() - last < SUCCESS_STORED_EVERY_MS) return;
    // The work is done: not being able to say so must not make it run again.
    await recordSuccess(db, job.name).then(
      () => storedAt.set(job.name, performance.now()),
      (error: unknown) => logger.warn({ err: error, task: job.name }, 'a success was not stored'),
    );
  };
}

/**
 * Shows in `/readyz` and `/metrics` when each schedule last succeeded. A late one does not make the
 * process unready: a restart mends nothing.
 */
export async function reportSchedules({ db, reports, logger, metrics }: Runtime): Promise<void> {
  await noteSchedules(db).catch((error: unknown) =>
    logger.warn({ err: error }, 'schedules not noted; the first success of each notes it'),
  );
  addCollectedGauge(metrics, {
    name: 'tow_schedule_age_seconds',
    help: 'Time since a schedule of the clock last succeeded, on any clock',
    labelNames: ['schedule'],
    collect: async (set) => {
      // Without PostgreSQL the other metrics are still worth having.
      const runs = await readScheduleRuns(db).catch(() => []);
      for (const { schedule, age_seconds: age } of runs) if (age !== null) set({ schedule }, age);
    },
  });
  reports.set('schedules', async () => {
    const runs = await readScheduleRuns(db);
    return Object.fromEntries(
      runs.map(({ schedule, last_succeeded_at, last_failed_at, is_late }) => [
        schedule,
        { ok: !is_late, last_succeeded_at, last_failed_at },
      ]),
    );
  });
}
