import type Joi from 'joi';
import type {
  CustomerListQuery,
  InspectionListQuery,
  InvoiceListQuery,
  WorkOrderListQuery,
} from '../../../contracts/generated.js';
import type { Conditions, FilterScope } from '../../../records/lists/keyset-list.js';
import { buildCustomerConditions } from '../../customers/queries.js';
import { customerListQuery } from '../../customers/schema.js';
import { inspectionConditions } from '../../inspections/queries.js';
import { inspectionListQuery } from '../../inspections/schema.js';
import { invoiceConditions } from '../../invoices/queries.js';
import { invoiceListQuery } from '../../invoices/schema.js';
import { workOrderConditions } from '../../work-orders/queries.js';
import { workOrderListQuery } from '../../work-orders/schema.js';
import type { ExportResource } from './export-request.js';

/** The resources that have a list endpoint. */
export type ListResource = Exclude<ExportResource, 'all'>;

interface ExportableList {
  schema: Joi.ObjectSchema;
  conditions: (query: unknown, scope: FilterScope) => Conditions;
}

/** The filters and conditions of each resource, equal to those of the resource's list endpoint. */
export const EXPORT_LISTS: Readonly<Record<ListResource, ExportableList>> = {
  invoices: {
    schema: invoiceListQuery,
    conditions: (query, scope) => invoiceConditions(query as InvoiceListQuery, scope),
  },
  customers: {
    schema: customerListQuery,
    conditions: (query, scope) => buildCustomerConditions(query as CustomerListQuery, scope),
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
 * Builds the conditions for the rows to export.
 * @throws {Error} for an unknown filter, because ignoring the filter would export more rows
 */
export function buildExportConditions(
  { filters, resource, ...scope }: FilterScope & { filters: object; resource: ExportResource },
  list: ListResource,
): Conditions {
  if (resource === 'all' && Object.keys(filters).length > 0)
    throw new Error('an export of everything accepts no filters');
  const { schema, conditions } = EXPORT_LISTS[list];
  const { value, error } = schema.validate(filters);
  if (error) throw new Error(`unknown filters of ${list}: ${error.message}`);
  return conditions(value, scope);
}
