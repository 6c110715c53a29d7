import { canonicalJson } from '../../contracts/canonical-json.js';
import type { Command, Outcome } from '../../contracts/command.js';
import type {
  ExportScheduleCreate,
  ExportScheduleDelete,
  ExportSchedulePatch,
} from '../../contracts/generated.js';
import { AppError } from '../../platform/errors.js';
import type { Transaction } from '../../platform/postgres.js';
import { changesOfNew } from '../changes.js';
import { type Merge, mergeOf } from '../merge-records.js';
import { Places, type PlacesOf } from '../places.js';
import { failed, lockRecords, missing, namesOf, type RecordRef, refKey, refOf } from '../sets.js';
import { checkSchedule } from './check-schedule.js';
import {
  EDITABLE,
  endSchedules,
  insertSchedules,
  type ScheduleRow,
  storeSchedules,
} from './schedule-rows.js';
import { MOST_SCHEDULES } from './vocabulary.js';

const RESOURCE_LABEL = 'export schedule';
const SCHEDULE_QUOTA: PlacesOf = {
  table: 'export_schedules',
  counted: 't.deleted_at is null',
  most: MOST_SCHEDULES,
  refusal: `An account has ${MOST_SCHEDULES} export schedules at most. Delete a schedule that you no longer need.`,
};
/** Columns that determine when a schedule runs. */
const TIMING_COLUMNS = ['cadence', 'hour', 'weekday', 'day', 'enabled'];

/** Inserts schedules. The API has already checked that their members fit together. */
export async function createExportSchedules(
  tx: Transaction,
  commands: Command<ExportScheduleCreate>[],
): Promise<Outcome[]> {
  const quota = await Places.count(tx, commands, SCHEDULE_QUOTA);
  const toInsert: object[] = [];
  const outcomes = commands.map((command): Outcome => {
    const refusal = quota.take(command.tenantId);
    if (refusal) return refusal;
    toInsert.push({ ...command.input, ...refOf(command) });
    return { ok: true, changes: changesOfNew({ ...command.input }), events: [] };
  });
  if (toInsert.length > 0) await insertSchedules(tx, toInsert);
  return outcomes;
}

/** Updates schedules by JSON merge. */
export async function updateExportSchedules(
  tx: Transaction,
  commands: Command<ExportSchedulePatch>[],
): Promise<Outcome[]> {
  const rows = await lockSchedules(tx, commands);
  const results = commands.map((command): Merge | Outcome => {
    const row = rows.get(refKey(refOf(command)));
    return row ? mergeSchedule(row, command.input) : missing(RESOURCE_LABEL);
  });
  const changed = results.filter((result): result is Merge => 'set' in result && result.changes.length > 0);
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
 * Merges a patch into a schedule. Clears the weekday or day that the new cadence does not use, even
 * if the patch does not mention it.
 */
function mergeSchedule(row: ScheduleRow, patch: ExportSchedulePatch): Merge | Outcome {
  const merged = { ...row, ...patch };
  if (merged.cadence !== 'weekly' && patch.weekday === undefined) merged.weekday = null;
  if (merged.cadence !== 'monthly' && patch.day === undefined) merged.day = null;
  try {
    const checked = checkSchedule<ExportScheduleCreate>(merged);
    const set = Object.fromEntries(Object.entries(checked).filter(([name]) => EDITABLE_NAMES.has(name)));
    // Keep the stored form of equivalent filters; otherwise they would count as a change.
    if (canonicalJson(checked.filters) === canonicalJson(row.filters)) set.filters = row.filters;
    return mergeOf(row, set);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return failed(error.toBody());
  }
}

const EDITABLE_NAMES = new Set(namesOf(EDITABLE));

/** Deletes schedules. The exports they have already requested continue. */
export async function deleteExportSchedules(
  tx: Transaction,
  commands: Command<ExportScheduleDelete>[],
): Promise<Outcome[]> {
  const rows = await lockSchedules(tx, commands);
  const deleted: RecordRef[] = [];
  const outcomes = commands.map((command): Outcome => {
    const ref = refOf(command);
    if (!rows.has(refKey(ref))) return missing(RESOURCE_LABEL);
    deleted.push(ref);
    return { ok: true, changes: [{ field: 'deleted_at', from: null, to: 'now' }], events: [] };
  });
  if (deleted.length > 0) await endSchedules(tx, deleted);
  return outcomes;
}

/** Locks the schedules of these commands. Skips deleted schedules. */
export async function lockSchedules(tx: Transaction, commands: Command[]): Promise<Map<string, ScheduleRow>> {
  const rows = await lockRecords<ScheduleRow>(tx, 'export_schedules', commands.map(refOf));
  return new Map([...rows].filter(([, { deleted_at }]) => deleted_at === null));
}
