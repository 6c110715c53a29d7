import Joi from 'joi';
import { jsonObject } from '../../contracts/resource.js';
import { allRequired, dateTime, uuid } from '../../contracts/schemas/fields.js';
import { type Field, recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { exportStatus } from './enums.js';
import { EXPORT_REQUEST_FIELDS } from './request/export-request-fields.js';

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

const progress: Field = {
  output: allRequired({
    rows: count().example(640),
    bytes: count().example(40_210).description('Size of the download as written so far'),
    estimated_rows: count().allow(null).example(1300).description('Estimate when the export was requested'),
    percent: count()
      .max(100)
      .allow(null)
      .example(49)
      .description('Percentage of the estimate; 100 only when the export is completed'),
  }),
  sql: (alias) => {
    // The estimate may be far too low, so an unfinished export shows at most 99 percent.
    const percent = `case when ${alias}.sha256 is not null then 100
    when ${alias}.estimated_rows is not null then least(99, ${alias}.rows * 100 / greatest(${alias}.estimated_rows, 1)) end`;
    return jsonObject(alias, ['rows', 'bytes', 'estimated_rows', { name: 'percent', sql: percent }]);
  },
  columns: null,
};

/** The fields of an export. The database stores no download links, so the routes add them. */
export const exportFields = defineFields({
  id: recordId(),
  ...EXPORT_REQUEST_FIELDS,
  status: { output: exportStatus },
  progress,
  file_name: { output: Joi.string().allow(null).example('invoices-2026-11-22.csv.gz') },
  content_type: { output: Joi.string().allow(null).example('application/gzip') },
  bytes: {
    output: count().allow(null).example(82_113).description('Size of the download'),
    sql: (alias) => `case when ${alias}.sha256 is not null then ${alias}.bytes end`,
  },
  sha256: {
    output: Joi.string()
      .allow(null)
      .example('2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae')
      .description('SHA-256 of the download'),
  },
  files: {
    output: Joi.array()
      .items(file)
      .description('The files of the export; sizes and hashes are of the uncompressed files'),
  },
  error: {
    output: allRequired({
      code: Joi.string().example('storage_full'),
      message: Joi.string().example('The storage is full. Request the export again later.'),
    })
      .allow(null)
      .description('Why the export failed'),
  },
  schedule_id: { output: uuid().allow(null).description('The schedule that requested the export') },
  download_url: {
    output: Joi.string()
      .allow(null)
      .example('https://api.example.com/v1/exports/0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e/download')
      .description(
        'Download link of a completed export; works without a key. Each read returns a new link; null in events',
      ),
    sql: () => 'null::text',
    columns: null,
  },
  download_expires_at: {
    output: dateTime().allow(null).description('When download_url expires'),
    sql: () => 'null::timestamptz',
    columns: null,
  },
  attempts: { output: count().example(1).description('How often the export was started') },
  started_at: time(dateTime().allow(null).description('When the export was last started')),
  completed_at: time(dateTime().allow(null)),
  expires_at: time(dateTime().allow(null).description('When the file is deleted')),
  created_at: time(),
  updated_at: time(),
});
