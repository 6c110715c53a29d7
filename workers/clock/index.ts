import type { Runtime } from '../../shared/platform/process/runtime.js';
import { openWorker } from '../../shared/queues/backend.js';
import { CLOCK_QUEUE, type ClockJob, ensureSchedules, openClockQueue } from '../../shared/queues/clock.js';
import { createClockProcessor, SCHEDULES } from './processor.js';
import { recordScheduleRuns, reportSchedules } from './record-schedule-runs.js';

/**
 * The interval at which the clock creates missing schedules again, for example after Redis lost its
 * data.
 */
const SCHEDULE_CHECK_MS = 10_000;

/**
 * Starts a clock in this process. Several processes may each run a clock, because a due schedule
 * runs in only one of them.
 */
export async function startClock(runtime: Runtime): Promise<void> {
  const queue = openClockQueue(runtime);
  const processor = recordScheduleRuns(runtime, SCHEDULES, createClockProcessor(runtime));
  await reportSchedules(runtime, SCHEDULES);
  openWorker<ClockJob>(runtime, CLOCK_QUEUE, processor, { concurrency: 1 });
  const ensure = () =>
    ensureSchedules(queue, SCHEDULES).catch((error: unknown) =>
      runtime.logger.warn({ err: error }, 'could not check the schedules; will try again'),
    );
  await ensure();
  const timer = setInterval(() => void ensure(), SCHEDULE_CHECK_MS);
  runtime.lifecycle.onClose('schedule check', () => clearInterval(timer));
}
