import Joi from 'joi';
import { namedEnum } from '../../../contracts/named-enum.js';
import { strictBoolean, text } from '../../../contracts/schemas/fields.js';
import type { Field } from '../../../records/fields/field.js';
import { ALL_TABLES, EXPORT_FORMATS, EXPORT_INCLUDES, EXPORT_RESOURCES } from './export-request.js';

export const exportResource = namedEnum('ExportResource', EXPORT_RESOURCES, {
  invoices: 'Invoices',
  customers: 'Customers',
  work_orders: 'Work orders',
  inspections: 'Inspections',
  all: `One zip of ${ALL_TABLES.join(', ')}. As a dump: everything that the account owns`,
});

export const exportFormat = namedEnum('ExportFormat', EXPORT_FORMATS, {
  csv: 'Comma-separated values, for spreadsheets',
  json: 'One JSON array',
  ndjson: 'One JSON object per line',
  dump: 'SQL that psql can restore; only for `all`',
});

const compression = () =>
  Joi.string()
    .valid('gzip', 'none')
    .description('none is only for an export of a single file; a zip and a dump are always compressed');
const bom = () =>
  strictBoolean().description(
    'CSV: starts the file with a byte order mark, which spreadsheet programs expect',
  );
const decimals = () =>
  strictBoolean().description(
    'CSV: adds a column with the decimal amount next to each column of cents (total next to total_cents)',
  );

/**
 * Accepts any text as a filter. check-export-request.ts validates the value once the resource is
 * known.
 */
const filter = (lists: string) => text(100).description(`As in the list of ${lists}`);

const filters = () =>
  Joi.object({
    search: filter('invoices, customers or work orders'),
    status: filter('invoices or work orders'),
    customer_id: filter('invoices or work orders'),
    since: filter('invoices, work orders or inspections'),
    until: filter('invoices, work orders or inspections'),
    date_field: filter('invoices or work orders'),
    company_type: filter('customers'),
    is_active: strictBoolean().description('As in the list of customers'),
    service_type: filter('work orders'),
    kind: filter('inspections'),
    result: filter('inspections'),
    truck_id: filter('inspections'),
    driver_id: filter('inspections'),
    work_order_id: filter('invoices or inspections'),
  })
    .description('The filters of the list of the resource; all has no filters')
    .example({ status: 'paid', since: '2026-11-01' });

const include = () =>
  Joi.array()
    .items(Joi.string().valid(...EXPORT_INCLUDES))
    .unique()
    .max(EXPORT_INCLUDES.length)
    .description(
      'Adds files to an export of invoices, which becomes a zip; payments include their refunds. all always contains them',
    )
    .example([]);

/** Builds a field with a default value. A client that creates a record may omit the field. */
export const withDefault = (schema: Joi.Schema, value: Joi.BasicType, columns: string): Field => ({
  input: schema.default(value),
  changeInput: schema,
  output: schema,
  columns,
});

export const EXPORT_REQUEST_FIELDS: Readonly<Record<string, Field>> = {
  resource: { input: exportResource, isRequired: true, columns: 'text' },
  format: { input: exportFormat, isRequired: true, columns: 'text' },
  filters: withDefault(filters(), {}, 'jsonb'),
  include: withDefault(include(), [], 'text[]'),
  compression: withDefault(compression(), 'gzip', 'text'),
  bom: withDefault(bom(), false, 'boolean'),
  decimals: withDefault(decimals(), false, 'boolean'),
};
