import { type ResourceTable, readScope } from '../../records/resource-table.js';
import { defineStoredJson } from '../../records/stored-json/stored-json.js';
import { invoiceFields } from './fields.js';

export const invoiceTable: ResourceTable = {
  entityType: 'invoice',
  table: 'invoices',
  collection: '/invoices',
  representation: invoiceFields.representation,
  stored: defineStoredJson(invoiceFields),
  readAccess: readScope('read_invoices'),
};
