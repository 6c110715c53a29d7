import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type {
  ExportScheduleCreate,
  ExportScheduleDelete,
  ExportSchedulePatch,
} from '../../contracts/generated.js';
import { toCanonicalJson } from '../../contracts/json/canonical-json.js';
import { AppError } from '../../platform/errors.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { AccountQuota, type AccountQuotaRule } from '../../records/account-quota.js';
import { diffNewRecord } from '../../records/changes.js';
import { type PlannedMerge, planMerge } from '../../records/merge-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, refKey, toRecordRef } from '../../records/record-refs.js';
import { checkSchedule } from './check-schedule.js';
import { exportScheduleFields } from './fields.js';
import { runExportSchedules } from './run-handler.js';
import {
  insertSchedules,
  lockSchedules,
  markSchedulesDeleted,
  type ScheduleRow,
  storeSchedules,
} from './schedule-rows.js';
import { MAX_EXPORT_SCHEDULES } from './vocabulary.js';

const RESOURCE_LABEL = 'export schedule';
const SCHEDULE_QUOTA: AccountQuotaRule = {
  table: 'export_schedules',
  countedRows: 't.deleted_at is null',
  maxRecords: MAX_EXPORT_SCHEDULES,
  refusalMessage: `An account has ${MAX_EXPORT_SCHEDULES} export schedules at most. Delete a schedule that you no longer need.`,
};
/** A change in one of these columns moves the next run. */
const TIMING_COLUMNS = ['cadence', 'hour', 'weekday', 'day', 'enabled'];

/**
 * Creates schedules. The API process has already checked the rules that involve several members.
 */
export async function createExportSchedules(
  tx: Transaction,
  commands: Command<ExportScheduleCreate>[],
): Promise<CommandOutcome[]> {
  const quota = await AccountQuota.load(tx, commands, SCHEDULE_QUOTA);
  const toInsert: object[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const refusal = quota.reserve(command.tenantId);
    if (refusal) return refusal;
    toInsert.push({ ...command.input, ...toRecordRef(command) });
    return { ok: true, changes: diffNewRecord({ ...command.input }), events: [] };
  });
  if (toInsert.length > 0) await insertSchedules(tx, toInsert);
  return outcomes;
}

export async function updateExportSchedules(
  tx: Transaction,
  commands: Command<ExportSchedulePatch>[],
): Promise<CommandOutcome[]> {
  const rows = await lockSchedules(tx, commands);
  const results = commands.map((command): PlannedMerge | CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    return row ? mergeSchedule(row, command.input) : notFoundOutcome(RESOURCE_LABEL);
  });
  const changed = results.filter(
    (result): result is PlannedMerge => 'set' in result && result.changes.length > 0,
  );
  if (changed.length > 0)
    await storeSchedules(
      tx,
      changed.map(({ row, set, changes }) => ({
        ...row,
        ...set,
        is_moved: changes.some(({ field }) => TIMING_COLUMNS.includes(field)),
      })),
    );
  return results.map((result) =>
    'set' in result ? { ok: true, changes: result.changes, events: [] } : result,
  );
}

/**
 * Merges a patch into a schedule, and checks the result. Clears the weekday or the day if the new
 * cadence does not use it and the patch does not contain it.
 */
function mergeSchedule(row: ScheduleRow, patch: ExportSchedulePatch): PlannedMerge | CommandOutcome {
  const merged = { ...row, ...patch };
  if (merged.cadence !== 'weekly' && patch.weekday === undefined) merged.weekday = null;
  if (merged.cadence !== 'monthly' && patch.day === undefined) merged.day = null;
  try {
    const checked = checkSchedule<ExportScheduleCreate>(merged);
    const set = Object.fromEntries(
      Object.entries(checked).filter(([name]) => exportScheduleFields.settableNames.includes(name)),
    );
    // Keep the stored filters if the new filters differ from them only in form, so that such a
    // difference does not count as a change.
    if (toCanonicalJson(checked.filters) === toCanonicalJson(row.filters)) set.filters = row.filters;
    return planMerge(row, set);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return failedOutcome(error.toBody());
  }
}

/** Deletes schedules. Their exports that are already requested still run. */
export async function deleteExportSchedules(
  tx: Transaction,
  commands: Command<ExportScheduleDelete>[],
): Promise<CommandOutcome[]> {
  const rows = await lockSchedules(tx, commands);
  const deleted: RecordRef[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const ref = toRecordRef(command);
    if (!rows.has(refKey(ref))) return notFoundOutcome(RESOURCE_LABEL);
    deleted.push(ref);
    return { ok: true, changes: [{ field: 'deleted_at', from: null, to: 'now' }], events: [] };
  });
  if (deleted.length > 0) await markSchedulesDeleted(tx, deleted);
  return outcomes;
}

export const exportScheduleHandlers: CommandHandlers = {
  'export_schedule.create': createExportSchedules,
  'export_schedule.update': updateExportSchedules,
  'export_schedule.delete': deleteExportSchedules,
  'export_schedule.run': runExportSchedules,
};
