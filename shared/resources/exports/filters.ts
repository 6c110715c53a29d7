import type Joi from 'joi';
import { LISTS } from './conditions.js';
import type { ExportResource } from './order.js';

/** What only pages and their form are asked for by. */
const OF_PAGES = ['limit', 'cursor', 'expand'];

/** The filters of each resource: those of its list, with the list's own checks. `all` is everything there is, and has none. */
export const FILTERS: Readonly<Record<ExportResource, ReadonlyMap<string, Joi.Schema>>> = {
  invoices: filtersOf(LISTS.invoices.schema),
  customers: filtersOf(LISTS.customers.schema),
  work_orders: filtersOf(LISTS.work_orders.schema),
  inspections: filtersOf(LISTS.inspections.schema),
  all: new Map(),
};

function filtersOf(list: Joi.ObjectSchema): Map<string, Joi.Schema> {
  const names = Object.keys((list.describe() as { keys: object }).keys);
  return new Map(
    names.filter((name) => !OF_PAGES.includes(name)).map((name) => [name, list.extract(name) as Joi.Schema]),
  );
}
