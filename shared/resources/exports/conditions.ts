import type Joi from 'joi';
import type {
  CustomerListQuery,
  InspectionListQuery,
  InvoiceListQuery,
  WorkOrderListQuery,
} from '../../contracts/generated.js';
import { customerConditions } from '../customers/queries.js';
import { customerListQuery } from '../customers/schema.js';
import { inspectionConditions } from '../inspections/queries.js';
import { inspectionListQuery } from '../inspections/schema.js';
import { invoiceConditions } from '../invoices/queries.js';
import { invoiceListQuery } from '../invoices/schema.js';
import type { Conditions, FilterScope } from '../keyset-list.js';
import { workOrderConditions } from '../work-orders/queries.js';
import { workOrderListQuery } from '../work-orders/schema.js';
import type { ExportResource } from './order.js';

/** Resources that are lists of their own. */
export type Listed = Exclude<ExportResource, 'all'>;

interface List {
  schema: Joi.ObjectSchema;
  conditions: (query: unknown, scope: FilterScope) => Conditions;
}

/** Whose filters an export takes, and what they mean: those of the list. */
export const LISTS: Readonly<Record<Listed, List>> = {
  invoices: {
    schema: invoiceListQuery,
    conditions: (query, scope) => invoiceConditions(query as InvoiceListQuery, scope),
  },
  customers: {
    schema: customerListQuery,
    conditions: (query, scope) => customerConditions(query as CustomerListQuery, scope),
  },
  work_orders: {
    schema: workOrderListQuery,
    conditions: (query, scope) => workOrderConditions(query as WorkOrderListQuery, scope),
  },
  inspections: {
    schema: inspectionListQuery,
    conditions: (query, scope) => inspectionConditions(query as InspectionListQuery, scope),
  },
};

/**
 * The rows that an order means, by the very conditions of the list.
 * @throws {Error} for a filter that the list does not know: leaving it out would export more than was asked for
 */
export function conditionsOf(
  { filters, resource, ...scope }: FilterScope & { filters: object; resource: ExportResource },
  list: Listed,
): Conditions {
  if (resource === 'all' && Object.keys(filters).length > 0)
    throw new Error('an export of everything takes no filters');
  const { schema, conditions } = LISTS[list];
  const { value, error } = schema.validate(filters);
  if (error) throw new Error(`unknown filters of ${list}: ${error.message}`);
  return conditions(value, scope);
}
