import { type ResourceTable, readScope } from '../../records/resource-table.js';
import { recurringInvoiceFields } from './fields.js';

export const recurringInvoiceTable: ResourceTable = {
  entityType: 'recurring_invoice',
  table: 'recurring_invoices',
  collection: '/recurring-invoices',
  representation: recurringInvoiceFields.representation,
  readAccess: readScope('read_invoices'),
};
