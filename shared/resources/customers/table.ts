import { type ResourceTable, readScope } from '../../records/resource-table.js';
import { defineStoredJson } from '../../records/stored-json/stored-json.js';
import { customerFields } from './fields.js';

export const customerTable: ResourceTable = {
  entityType: 'customer',
  table: 'customers',
  collection: '/customers',
  representation: customerFields.representation,
  stored: defineStoredJson(customerFields),
  readAccess: readScope('read_customers'),
};
