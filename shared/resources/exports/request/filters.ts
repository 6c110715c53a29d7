import type Joi from 'joi';
import { EXPORT_LISTS } from './conditions.js';
import type { ExportResource } from './export-request.js';

/**
 * The query parameters of a list that control pages, their sequence and the form of records. They
 * select no rows.
 */
const PAGE_PARAMETERS = ['limit', 'cursor', 'expand', 'sort'];

/** The filters of each resource, with their schemas in the list endpoint. `all` has no filters. */
export const EXPORT_FILTERS: Readonly<Record<ExportResource, ReadonlyMap<string, Joi.Schema>>> = {
  invoices: extractFilters(EXPORT_LISTS.invoices.schema),
  customers: extractFilters(EXPORT_LISTS.customers.schema),
  work_orders: extractFilters(EXPORT_LISTS.work_orders.schema),
  inspections: extractFilters(EXPORT_LISTS.inspections.schema),
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
