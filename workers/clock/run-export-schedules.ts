import type { Command } from '../../shared/contracts/command.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import type { WritesQueue } from '../../shared/queues/writes.js';
import { clockCommand } from '../../shared/resources/clock-command.js';
import { runExportSchedule } from '../../shared/resources/export-schedules/commands.js';
import {
  type DueSchedule,
  filtersOf,
  findDueSchedules,
} from '../../shared/resources/export-schedules/sweep.js';
import { planExport } from '../../shared/resources/exports/plan.js';
import { enqueueCommands } from './enqueue-commands.js';
import { sweepTenants } from './sweep-tenants.js';

/** Of some hundred tenants, per pass. */
const COMMANDS_PER_PASS = 256;
/** The clock has other work: rows are estimated for so long; whatever is due beyond that runs without an estimate. In ms. */
const ESTIMATES_MS = 5_000;

/** Asks for the exports of schedules whose time has come; the writes workers make them, and move the schedules on. */
export async function runExportSchedules(
  runtime: Runtime,
  writes: WritesQueue,
): Promise<Record<string, unknown>> {
  const due: DueSchedule[] = [];
  await sweepTenants(runtime, 'run-export-schedules', async (tx) => {
    due.push(...(await findDueSchedules(tx, COMMANDS_PER_PASS)));
  });
  const endAt = performance.now() + ESTIMATES_MS;
  const commands: Command[] = [];
  for (const schedule of due) {
    const estimated_rows = performance.now() < endAt ? await estimate(runtime, schedule) : null;
    commands.push(clockCommand(runExportSchedule, schedule, { due_at: schedule.due_at, estimated_rows }));
  }
  await enqueueCommands(writes, commands);
  return { due: due.length };
}

/** @returns null: it could not be had, which is no reason to have no export */
async function estimate({ db, logger }: Runtime, schedule: DueSchedule): Promise<number | null> {
  const { tenant_id: tenantId, time_zone: timeZone, resource, include, format } = schedule;
  try {
    const filters = filtersOf(schedule, schedule);
    return await planExport(db, { tenantId, timeZone, resource, include, filters, format });
  } catch (error) {
    logger.warn({ err: error, tenantId, scheduleId: schedule.id }, 'a scheduled export was not estimated');
    return null;
  }
}
