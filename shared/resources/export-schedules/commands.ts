import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type {
  ExportScheduleCreate,
  ExportScheduleDelete,
  ExportSchedulePatch,
} from '../../contracts/generated.js';
import { exportScheduleCreate, exportScheduleDelete, exportSchedulePatch } from './schema.js';

export const createExportSchedule = defineCommand<ExportScheduleCreate>({
  type: 'export_schedule.create',
  action: 'export_schedule.created',
  permission: 'admin',
  creates: true,
  schema: exportScheduleCreate,
});

export const updateExportSchedule = defineCommand<ExportSchedulePatch>({
  type: 'export_schedule.update',
  action: 'export_schedule.updated',
  permission: 'admin',
  schema: exportSchedulePatch,
});

/** Deletes a schedule. The schedule's exports remain. */
export const deleteExportSchedule = defineCommand<ExportScheduleDelete>({
  type: 'export_schedule.delete',
  action: 'export_schedule.deleted',
  permission: 'admin',
  schema: exportScheduleDelete,
});

export interface ScheduleRun {
  /**
   * The schedule's `next_run_at` that caused this run. A second command with the same time does
   * nothing.
   */
  due_at: string;
  /** Null if the rows were not estimated. */
  estimated_rows: number | null;
}

/** Requests the export of a due schedule. Only the clock submits this command. */
export const runExportSchedule = defineCommand<ScheduleRun>({
  type: 'export_schedule.run',
  action: 'export_schedule.started',
  permission: 'admin',
  schema: Joi.object({
    due_at: Joi.string().required(),
    estimated_rows: Joi.number().integer().min(0).allow(null).required(),
  }),
});
