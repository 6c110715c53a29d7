import { type ResourceTable, readScope } from '../../records/resource-table.js';
import { invoiceFields } from './fields.js';

export const invoiceTable: ResourceTable = {
  entityType: 'invoice',
  table: 'invoices',
  collection: '/invoices',
  representation: invoiceFields.representation,
  readAccess: readScope('read_invoices'),
};
