import { type ResourceTable, readScope } from '../../records/resource-table.js';
import { invoiceRepresentation } from './representation.js';

export const invoiceTable: ResourceTable = {
  entityType: 'invoice',
  table: 'invoices',
  collection: '/invoices',
  representation: invoiceRepresentation,
  readAccess: readScope('read_invoices'),
};
