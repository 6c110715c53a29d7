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

const WHAT = 'export schedule';
const SCHEDULES: PlacesOf = {
  table: 'export_schedules',
  counted: 't.deleted_at is null',
  most: MOST_SCHEDULES,
  refusal: `An account has ${MOST_SCHEDULES} export schedules at most. Delete one that is no longer needed.`,
};
/** Whatever decides when it runs. */
const TIMING = ['cadence', 'hour', 'weekday', 'day', 'enabled'];

/** Adds schedules; the api has checked that their members go together. */
export async function createExportSchedules(
  tx: Transaction,
  commands: Command<ExportScheduleCreate>[],
): Promise<Outcome[]> {
  const places = await Places.count(tx, commands, SCHEDULES);
  const made: object[] = [];
  const outcomes = commands.map((command): Outcome => {
    const refusal = places.take(command.tenantId);
    if (refusal) return refusal;
    made.push({ ...command.input, ...refOf(command) });
    return { ok: true, changes: changesOfNew({ ...command.input }), events: [] };
  });
  if (made.length > 0) await insertSchedules(tx, made);
  return outcomes;
}

/** JSON merge of schedules. */
export async function updateExportSchedules(
  tx: Transaction,
  commands: Command<ExportSchedulePatch>[],
): Promise<Outcome[]> {
  const rows = await lockSchedules(tx, commands);
  const plans = commands.map((command): Merge | Outcome => {
    const row = rows.get(refKey(refOf(command)));
    return row ? mergedOf(row, command.input) : missing(WHAT);
  });
  const changed = plans.filter((plan): plan is Merge => 'set' in plan && plan.changes.length > 0);
  if (changed.length > 0)
    await storeSchedules(
      tx,
      changed.map(({ row, set, changes }) => ({
        ...row,
        ...set,
        is_moved: changes.some(({ field }) => TIMING.includes(field)),
      })),
    );
  return plans.map((plan) => ('set' in plan ? { ok: true, changes: plan.changes, events: [] } : plan));
}

/** The schedule as it will be; a day that its new cadence has no use for goes without being told to. */
function mergedOf(row: ScheduleRow, patch: ExportSchedulePatch): Merge | Outcome {
  const merged = { ...row, ...patch };
  if (merged.cadence !== 'weekly' && patch.weekday === undefined) merged.weekday = null;
  if (merged.cadence !== 'monthly' && patch.day === undefined) merged.day = null;
  try {
    const checked = checkSchedule<ExportScheduleCreate>(merged);
    const set = Object.fromEntries(Object.entries(checked).filter(([name]) => SETTABLE.has(name)));
    // As it is stored, where it means the same: otherwise it would count as a change.
    if (canonicalJson(checked.filters) === canonicalJson(row.filters)) set.filters = row.filters;
    return mergeOf(row, set);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return failed(error.toBody());
  }
}

const SETTABLE = new Set(namesOf(EDITABLE));

/** Ends schedules. What they have asked for goes on. */
export async function deleteExportSchedules(
  tx: Transaction,
  commands: Command<ExportScheduleDelete>[],
): Promise<Outcome[]> {
  const rows = await lockSchedules(tx, commands);
  const ended: RecordRef[] = [];
  const outcomes = commands.map((command): Outcome => {
    const ref = refOf(command);
    if (!rows.has(refKey(ref))) return missing(WHAT);
    ended.push(ref);
    return { ok: true, changes: [{ field: 'deleted_at', from: null, to: 'now' }], events: [] };
  });
  if (ended.length > 0) await endSchedules(tx, ended);
  return outcomes;
}

/** The schedules of commands that are there, locked. */
export async function lockSchedules(tx: Transaction, commands: Command[]): Promise<Map<string, ScheduleRow>> {
  const rows = await lockRecords<ScheduleRow>(tx, 'export_schedules', commands.map(refOf));
  return new Map([...rows].filter(([, { deleted_at }]) => deleted_at === null));
}
