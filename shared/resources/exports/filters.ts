import type Joi from 'joi';
import { customerListQuery } from '../customers/schema.js';
import { inspectionListQuery } from '../inspections/schema.js';
import { invoiceListQuery } from '../invoices/schema.js';
import { workOrderListQuery } from '../work-orders/schema.js';
import type { ExportResource } from './order.js';

const LISTS: Readonly<Record<Exclude<ExportResource, 'all'>, Joi.ObjectSchema>> = {
  invoices: invoiceListQuery,
  customers: customerListQuery,
  work_orders: workOrderListQuery,
  inspections: inspectionListQuery,
};

/** What only pages and their form are asked for by. */
const OF_PAGES = ['limit', 'cursor', 'expand'];

/** The filters of each resource: those of its list, with the list's own checks. `all` is everything there is, and has none. */
export const FILTERS: Readonly<Record<ExportResource, ReadonlyMap<string, Joi.Schema>>> = {
  invoices: filtersOf(LISTS.invoices),
  customers: filtersOf(LISTS.customers),
  work_orders: filtersOf(LISTS.work_orders),
  inspections: filtersOf(LISTS.inspections),
  all: new Map(),
};

function filtersOf(list: Joi.ObjectSchema): Map<string, Joi.Schema> {
  const names = Object.keys((list.describe() as { keys: object }).keys);
  return new Map(
    names.filter((name) => !OF_PAGES.includes(name)).map((name) => [name, list.extract(name) as Joi.Schema]),
  );
}
