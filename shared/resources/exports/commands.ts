import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { ExportAction, ExportCreate } from '../../contracts/generated.js';
import type { ExportFile } from './order.js';
import { exportAction, exportCreate } from './schema.js';

const shared = { entityType: 'export', permission: 'admin', agentScope: null, creates: false } as const;

/** The api looks at the plan of the rows before it submits, so that no batch of writes waits for it. */
export interface ExportInput extends ExportCreate {
  estimated_rows: number | null;
  /** The schedule that asks. */
  schedule_id?: string | null;
}

export const createExport = defineCommand<ExportInput>({
  ...shared,
  type: 'export.create',
  action: 'export.created',
  creates: true,
  isAccepted: true,
  schema: exportCreate,
});

/** Stops one that is not finished; deletes the file of one that is. */
export const cancelExport = defineCommand<ExportAction>({
  ...shared,
  type: 'export.cancel',
  action: 'export.cancelled',
  schema: exportAction,
});

/** Begins again from nothing. */
export const retryExport = defineCommand<ExportAction>({
  ...shared,
  type: 'export.retry',
  action: 'export.retried',
  schema: exportAction,
});

/** What a run came to, by its number: a run that another has taken over from can settle nothing. */
export interface ExportResult {
  /** `attempts` of the claim. */
  attempt: number;
  rows: number;
  /** Of the object. */
  bytes: number;
  /** Of the object's bytes, hexadecimal. */
  sha256: string;
  object_key: string;
  file_name: string;
  content_type: string;
  files: readonly ExportFile[];
}

const attempt = () => Joi.number().integer().min(0).required();

/** The exports worker's: the object is whole and lies in storage. */
export const recordExportCompleted = defineCommand<ExportResult>({
  ...shared,
  type: 'export.record_completed',
  action: 'export.completed',
  schema: Joi.object({
    attempt: attempt(),
    rows: Joi.number().integer().min(0).required(),
    bytes: Joi.number().integer().min(0).required(),
    sha256: Joi.string().required(),
    object_key: Joi.string().required(),
    file_name: Joi.string().required(),
    content_type: Joi.string().required(),
    files: Joi.array().required(),
  }),
});

export interface ExportFailure {
  /** `attempts` of the claim. */
  attempt: number;
  /** For programs: `storage_full`. */
  code: string;
  /** For people of the account: what happened and what to do, in whole sentences. */
  message: string;
}

/** The exports worker's or the clock's: it will not be tried again by itself. */
export const recordExportFailed = defineCommand<ExportFailure>({
  ...shared,
  type: 'export.record_failed',
  action: 'export.failed',
  schema: Joi.object({
    attempt: attempt(),
    code: Joi.string().required(),
    message: Joi.string().required(),
  }),
});

/** The clock's: its days are over. */
export const expireExport = defineCommand<ExportAction>({
  ...shared,
  type: 'export.expire',
  action: 'export.expired',
  schema: exportAction,
});
