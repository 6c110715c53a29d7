import Joi from 'joi';
import { flag, text } from '../../contracts/fields.js';
import { namedEnum } from '../../contracts/named-enum.js';
import { ALL_TABLES, EXPORT_FORMATS, EXPORT_INCLUDES, EXPORT_RESOURCES } from './order.js';

export const exportResource = namedEnum('ExportResource', EXPORT_RESOURCES, {
  invoices: 'Invoices',
  customers: 'Customers',
  work_orders: 'Work orders',
  inspections: 'Inspections',
  all: `One zip of ${ALL_TABLES.join(', ')}; as a dump: everything that the account owns`,
});

export const exportFormat = namedEnum('ExportFormat', EXPORT_FORMATS, {
  csv: 'Comma-separated values, for spreadsheets',
  json: 'One JSON array',
  ndjson: 'One JSON object a line',
  dump: 'SQL that psql restores; only of `all`',
});

const compression = () =>
  Joi.string()
    .valid('gzip', 'none')
    .description('none: of an export that is one file; a zip and a dump are always compressed');
const bom = () =>
  flag().description('CSV: a byte order mark at the beginning, which spreadsheet programs want to see');
const decimals = () =>
  flag().description('CSV: beside each column of cents one of the amount (total_cents, total)');

/** What a filter must be is the list's to say, when it is known whose it is (check-order.ts). */
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
    is_active: flag().description('As in the list of customers'),
    service_type: filter('work orders'),
    kind: filter('inspections'),
    result: filter('inspections'),
    truck_id: filter('inspections'),
    driver_id: filter('inspections'),
    work_order_id: filter('inspections'),
  })
    .description("Each where the resource's list has it; all has none")
    .example({ status: 'paid', since: '2026-11-01' });

const include = () =>
  Joi.array()
    .items(Joi.string().valid(...EXPORT_INCLUDES))
    .unique()
    .max(EXPORT_INCLUDES.length)
    .description(
      'What invoices bring along as files of their own, in a zip; payments bring their refunds. all has them in any case',
    )
    .example([]);

/** What is asked for, as it is shown and as a change of it is given. */
export const orderMembers = () => ({
  resource: exportResource,
  format: exportFormat,
  filters: filters(),
  include: include(),
  compression: compression(),
  bom: bom(),
  decimals: decimals(),
});

/** What is asked for when it is new. */
export const newOrder = () => ({
  resource: exportResource.required(),
  format: exportFormat.required(),
  filters: filters().default({}),
  include: include().default([]),
  compression: compression().default('gzip'),
  bom: bom().default(false),
  decimals: decimals().default(false),
});
