import type { Processor } from 'bullmq';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import type { ClockJob } from '../../shared/queues/clock.js';
import { touchKeys } from '../../shared/resources/api-keys/queries.js';
import { extendSessions } from '../../shared/resources/sessions/queries.js';
import { prepareSchedule, type Schedule } from '../sweeps/schedule.js';
import * as schedules from './schedules.js';

export const SCHEDULES: readonly Schedule[] = Object.values(schedules);

/**
 * Creates the processor of the clock's jobs. A job's name is the name of its schedule, or
 * `touch-keys`. Skips schedules that only another version has: they stay in the queue when an older
 * version is back, or when a newer one dropped them.
 */
export function createClockProcessor(runtime: Runtime): Processor<ClockJob> {
  const tasks = new Map(SCHEDULES.map((schedule) => [schedule.name, prepareSchedule(runtime, schedule)]));
  const skipped = new Set<string>();
  return async (job) => {
    const run = job.name === 'touch-keys' ? () => recordKeyUses(runtime, job.data) : tasks.get(job.name);
    if (!run) {
      if (!skipped.has(job.name))
        runtime.logger.warn({ schedule: job.name }, 'the clock skips a schedule of another version');
      skipped.add(job.name);
      return;
    }
    const startedAt = performance.now();
    const facts = await run();
    runtime.logger.debug(
      { jobId: job.id, task: job.name, ...facts, ms: Math.round(performance.now() - startedAt) },
      'clock',
    );
  };
}

/**
 * Records when keys and sessions were used. The processes that check keys add these jobs; no
 * schedule adds them.
 */
async function recordKeyUses({ db }: Runtime, { uses = [] }: ClockJob): Promise<Record<string, unknown>> {
  await touchKeys(
    db,
    uses.filter((use) => !use.session),
  );
  await extendSessions(
    db,
    uses.filter((use) => use.session),
  );
  return { keys: uses.length };
}
