import Joi from 'joi';
import { allRequired, cursor, dateTime, limit, uuid } from '../../contracts/fields.js';
import { namedEnum } from '../../contracts/named-enum.js';
import { EXPORT_STATUSES } from '../../contracts/vocabulary.js';
import { exportResource, newOrder, orderMembers } from './order-fields.js';

export { exportFormat, exportResource } from './order-fields.js';

export const exportStatus = namedEnum('ExportStatus', EXPORT_STATUSES, {
  queued: 'Waits for its turn',
  running: 'Being written. `progress` says how far it is',
  completed: 'Written. `download_url` fetches it',
  failed: 'Could not be written. `error` says why',
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
    .description('Of its columns of cents, by name')
    .example({ total_cents: 15_625_000 }),
});

export const exportRecord = allRequired({
  id: uuid(),
  ...orderMembers(),
  status: exportStatus,
  progress: allRequired({
    rows: count().example(640),
    bytes: count().example(40_210).description('Of what is downloaded, as far as it is written'),
    estimated_rows: count()
      .allow(null)
      .example(1300)
      .description('As it was counted on when it was asked for'),
    percent: count()
      .max(100)
      .allow(null)
      .example(49)
      .description('Of the estimate; 100 when it is completed and not before'),
  }),
  file_name: Joi.string().allow(null).example('invoices-2026-11-22.csv.gz'),
  content_type: Joi.string().allow(null).example('application/gzip'),
  bytes: count().allow(null).example(82_113).description('Of what is downloaded'),
  sha256: Joi.string()
    .allow(null)
    .example('2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae')
    .description('Of the bytes of what is downloaded'),
  files: Joi.array().items(file).description('What is in it, each as it is uncompressed'),
  error: allRequired({
    code: Joi.string().example('storage_full'),
    message: Joi.string().example('There was no room for the file. Ask for it again later.'),
  })
    .allow(null)
    .description('Why it failed'),
  schedule_id: uuid().allow(null).description('The schedule that asked for it'),
  download_url: Joi.string()
    .allow(null)
    .example('https://api.example.com/v1/exports/0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e/download')
    .description('Of a completed one: who has it needs no key. Made anew by each read; null in events'),
  download_expires_at: dateTime().allow(null).description('Until when download_url works'),
  attempts: count().example(1).description('How often it was begun'),
  started_at: dateTime().allow(null).description('When it was last begun'),
  completed_at: dateTime().allow(null),
  expires_at: dateTime().allow(null).description('When its file is deleted'),
  created_at: dateTime(),
  updated_at: dateTime(),
}).meta({ className: 'Export' });

export const exportCreate = Joi.object(newOrder()).meta({ className: 'ExportCreate' });

/** An action that needs no more than its path. */
export const exportAction = Joi.object({}).meta({ className: 'ExportAction' });

export const exportListQuery = Joi.object({
  status: exportStatus,
  resource: exportResource,
  schedule_id: uuid().description('Those that this schedule asked for'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'ExportListQuery' });
