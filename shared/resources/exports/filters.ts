import type Joi from 'joi';
import { LISTS } from './conditions.js';
import type { ExportResource } from './order.js';

/** Query parameters that concern pages and their form, not the choice of rows. */
const PAGE_PARAMETERS = ['limit', 'cursor', 'expand'];

/**
 * The filters of each resource, with the validation of its list endpoint. `all` exports everything
 * and has no filters.
 */
export const FILTERS: Readonly<Record<ExportResource, ReadonlyMap<string, Joi.Schema>>> = {
  invoices: extractFilters(LISTS.invoices.schema),
  customers: extractFilters(LISTS.customers.schema),
  work_orders: extractFilters(LISTS.work_orders.schema),
  inspections: extractFilters(LISTS.inspections.schema),
  all: new Map(),
};

function extractFilters(list: Joi.ObjectSchema): Map<string, Joi.Schema> {
  const names = Object.keys((list.describe() as { keys: object }).keys);
  return new Map(
    names
      .filter((name) => !PAGE_PARAMETERS.includes(name))
      .map((name) => [name, list.extract(name) as Joi.Schema]),
  );
}
