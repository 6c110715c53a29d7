import type { Command } from '../../shared/contracts/command.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { openWritesQueue, type WritesQueue } from '../../shared/queues/writes.js';
import { buildClockCommand } from '../../shared/records/sweeps/clock-command.js';
import { runExportSchedule } from '../../shared/resources/export-schedules/commands.js';
import {
  buildRunFilters,
  type DueSchedule,
  findDueSchedules,
} from '../../shared/resources/export-schedules/sweep.js';
import { estimateExportRows } from '../../shared/resources/exports/request/estimate-rows.js';
import { enqueueCommands } from '../sweeps/enqueue-commands.js';
import type { Task } from '../sweeps/schedule.js';
import { sweepTenants } from '../sweeps/sweep-tenants.js';

/** Maximum number of due schedules per transaction of the sweep. */
const SCHEDULES_PER_TRANSACTION = 256;
/**
 * Maximum time in ms that one pass spends on estimates. More time would delay the clock's other
 * tasks. The remaining exports of the pass run without an estimate.
 */
const ESTIMATION_BUDGET_MS = 5_000;

export const exportScheduleTask: Task = {
  name: 'run-export-schedules',
  everyMs: 30_000,
  prepare: (runtime) => {
    const writes = openWritesQueue(runtime);
    return () => runExportSchedules(runtime, writes);
  },
};

/**
 * Submits a command for each due export schedule. The writes workers create the export and set the
 * schedule's next run.
 */
async function runExportSchedules(runtime: Runtime, writes: WritesQueue): Promise<Record<string, unknown>> {
  const due: DueSchedule[] = [];
  await sweepTenants(runtime, exportScheduleTask.name, async (tx) => {
    due.push(...(await findDueSchedules(tx, SCHEDULES_PER_TRANSACTION)));
  });
  const endAt = performance.now() + ESTIMATION_BUDGET_MS;
  const commands: Command[] = [];
  for (const schedule of due) {
    const estimated_rows = performance.now() < endAt ? await estimateRows(runtime, schedule) : null;
    commands.push(
      buildClockCommand(runExportSchedule, schedule, { due_at: schedule.due_at, estimated_rows }),
    );
  }
  await enqueueCommands(writes, commands);
  return { due: due.length };
}

/** @returns null if the estimate failed; the export then runs without an estimate */
async function estimateRows({ db, logger }: Runtime, schedule: DueSchedule): Promise<number | null> {
  const { tenant_id: tenantId, time_zone: timeZone, resource, include, format } = schedule;
  try {
    const filters = buildRunFilters(schedule, schedule);
    return await estimateExportRows(db, { tenantId, timeZone, resource, include, filters, format });
  } catch (error) {
    logger.warn(
      { err: error, tenantId, scheduleId: schedule.id },
      'could not estimate the rows of a scheduled export',
    );
    return null;
  }
}
