import { type ResourceTable, readScope } from '../../records/resource-table.js';
import { customerFields } from './fields.js';

export const customerTable: ResourceTable = {
  entityType: 'customer',
  table: 'customers',
  collection: '/customers',
  representation: customerFields.representation,
  readAccess: readScope('read_customers'),
};
