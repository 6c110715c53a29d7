import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { ExportAction, ExportCreate } from '../../contracts/generated.js';
import type { ExportFile } from './request/export-request.js';
import { exportAction, exportCreate } from './schema.js';

/**
 * The input of `export.create`. The API process estimates the rows before it submits the command,
 * because the batch of writes must not wait for the estimate.
 */
export interface ExportInput extends ExportCreate {
  estimated_rows: number | null;
  /** The schedule that requests this export. */
  schedule_id?: string | null;
}

export const createExport = defineCommand<ExportInput>({
  type: 'export.create',
  action: 'export.created',
  permission: 'admin',
  creates: true,
  isAccepted: true,
  schema: exportCreate,
});

/** Cancels an unfinished export, or deletes the file of a completed export. */
export const cancelExport = defineCommand<ExportAction>({
  type: 'export.cancel',
  action: 'export.cancelled',
  permission: 'admin',
  schema: exportAction,
});

/** Restarts an export from the beginning. */
export const retryExport = defineCommand<ExportAction>({
  type: 'export.retry',
  action: 'export.retried',
  permission: 'admin',
  schema: exportAction,
});

/**
 * The result of a run. Each run has its own `attempt` number. If another worker has taken over the
 * lease, the stored number is different, and the handler ignores the result.
 */
export interface ExportResult {
  /** The export's `attempts` when the worker leased the export. */
  attempt: number;
  rows: number;
  bytes: number;
  /** SHA-256 of the object in storage, in hexadecimal. */
  sha256: string;
  object_key: string;
  file_name: string;
  content_type: string;
  files: readonly ExportFile[];
}

const attempt = () => Joi.number().integer().min(0).required();

/**
 * Records that an export's object is complete in storage. Only the exports worker submits this
 * command.
 */
export const recordExportCompleted = defineCommand<ExportResult>({
  type: 'export.record_completed',
  action: 'export.completed',
  permission: 'admin',
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
  attempt: number;
  /** Error code for programs, such as `storage_full`. */
  code: string;
  /** Error text for the account. Its sentences say what happened and what to do. */
  message: string;
}

/**
 * Records that an export has failed and will not be tried again. Only the exports worker and the
 * clock submit this command.
 */
export const recordExportFailed = defineCommand<ExportFailure>({
  type: 'export.record_failed',
  action: 'export.failed',
  permission: 'admin',
  schema: Joi.object({
    attempt: attempt(),
    code: Joi.string().required(),
    message: Joi.string().required(),
  }),
});

/** Expires an export after the retention period. Only the clock submits this command. */
export const expireExport = defineCommand<ExportAction>({
  type: 'export.expire',
  action: 'export.expired',
  permission: 'admin',
  schema: exportAction,
});
