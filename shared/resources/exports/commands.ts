import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { ExportAction, ExportCreate } from '../../contracts/generated.js';
import type { ExportFile } from './request/export-request.js';
import { exportAction, exportCreate } from './schema.js';

const shared = { entityType: 'export', permission: 'admin', agentScope: null, creates: false } as const;

/**
 * The input of an export command. The API estimates the rows before it submits the command, so that
 * no batch of writes waits for the estimate.
 */
export interface ExportInput extends ExportCreate {
  estimated_rows: number | null;
  /** The schedule that requests this export. */
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

/** Cancels an unfinished export; deletes the file of a completed one. */
export const cancelExport = defineCommand<ExportAction>({
  ...shared,
  type: 'export.cancel',
  action: 'export.cancelled',
  schema: exportAction,
});

/** Restarts the export from the beginning. */
export const retryExport = defineCommand<ExportAction>({
  ...shared,
  type: 'export.retry',
  action: 'export.retried',
  schema: exportAction,
});

/**
 * The result of a run, with the number of the run. A run whose lease another worker took over
 * cannot record a result.
 */
export interface ExportResult {
  /** The `attempts` of the leased export: the number of this run. */
  attempt: number;
  rows: number;
  /** Size of the object. */
  bytes: number;
  /** SHA-256 of the object, in hexadecimal. */
  sha256: string;
  object_key: string;
  file_name: string;
  content_type: string;
  files: readonly ExportFile[];
}

const attempt = () => Joi.number().integer().min(0).required();

/** Records a complete object in storage. Only the exports worker submits this command. */
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
  /** The `attempts` of the leased export: the number of this run. */
  attempt: number;
  /** Error code for programs, such as `storage_full`. */
  code: string;
  /** Error text for the account: what happened and what to do, in full sentences. */
  message: string;
}

/**
 * Records a final failure, after which no automatic retry follows. Only the exports worker and the
 * clock submit this command.
 */
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

/** Expires an export after its retention period. Only the clock submits this command. */
export const expireExport = defineCommand<ExportAction>({
  ...shared,
  type: 'export.expire',
  action: 'export.expired',
  schema: exportAction,
});
