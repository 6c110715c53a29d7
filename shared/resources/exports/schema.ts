import Joi from 'joi';
import { namedEnum } from '../../contracts/named-enum.js';
import { allRequired, cursor, dateTime, limit, uuid } from '../../contracts/schemas/fields.js';
import { EXPORT_STATUSES } from '../../contracts/vocabulary.js';
import {
  exportRequestFields,
  exportResource,
  newExportRequestFields,
} from './request/export-request-fields.js';

export { exportFormat, exportResource } from './request/export-request-fields.js';

export const exportStatus = namedEnum('ExportStatus', EXPORT_STATUSES, {
  queued: 'Waits to be written',
  running: 'Being written. `progress` shows how far',
  completed: 'Written. Download it from `download_url`',
  failed: 'Could not be written. `error` holds the reason',
  cancelled: 'Cancelled before it was written',
  expired: 'Its file has been deleted',
});

const count = () => Joi.number().integer().min(0);

const file = allRequired({
  name: Joi.string().example('invoices.csv'),
  rows: count().example(1250),
  bytes: count().example(310_422).description('Uncompressed'),
  sha256: Joi.string().example('9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'),
  sums: Joi.object()
    .pattern(/^/, Joi.number().integer())
    .description('Sums of the columns of cents, by column name')
    .example({ total_cents: 15_625_000 }),
});

export const exportRecord = allRequired({
  id: uuid(),
  ...exportRequestFields(),
  status: exportStatus,
  progress: allRequired({
    rows: count().example(640),
    bytes: count().example(40_210).description('Size of the download as written so far'),
    estimated_rows: count().allow(null).example(1300).description('Estimate when the export was requested'),
    percent: count()
      .max(100)
      .allow(null)
      .example(49)
      .description('Percentage of the estimate; 100 only when the export is completed'),
  }),
  file_name: Joi.string().allow(null).example('invoices-2026-11-22.csv.gz'),
  content_type: Joi.string().allow(null).example('application/gzip'),
  bytes: count().allow(null).example(82_113).description('Size of the download'),
  sha256: Joi.string()
    .allow(null)
    .example('2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae')
    .description('SHA-256 of the download'),
  files: Joi.array()
    .items(file)
    .description('The files of the export; sizes and hashes are of the uncompressed files'),
  error: allRequired({
    code: Joi.string().example('storage_full'),
    message: Joi.string().example('The storage is full. Request the export again later.'),
  })
    .allow(null)
    .description('Why the export failed'),
  schedule_id: uuid().allow(null).description('The schedule that requested the export'),
  download_url: Joi.string()
    .allow(null)
    .example('https://api.example.com/v1/exports/0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e/download')
    .description(
      'Download link of a completed export; works without a key. Each read returns a new link; null in events',
    ),
  download_expires_at: dateTime().allow(null).description('When download_url expires'),
  attempts: count().example(1).description('How often the export was started'),
  started_at: dateTime().allow(null).description('When the export was last started'),
  completed_at: dateTime().allow(null),
  expires_at: dateTime().allow(null).description('When the file is deleted'),
  created_at: dateTime(),
  updated_at: dateTime(),
}).meta({ className: 'Export' });

export const exportCreate = Joi.object(newExportRequestFields()).meta({ className: 'ExportCreate' });

/** The action has no body. */
export const exportAction = Joi.object({}).meta({ className: 'ExportAction' });

export const exportListQuery = Joi.object({
  status: exportStatus,
  resource: exportResource,
  schedule_id: uuid().description('Exports that this schedule requested'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'ExportListQuery' });
