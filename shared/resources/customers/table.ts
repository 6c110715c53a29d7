import { type ResourceTable, readScope } from '../../records/resource-table.js';
import { customerRepresentation } from './representation.js';

export const customerTable: ResourceTable = {
  entityType: 'customer',
  table: 'customers',
  collection: '/customers',
  representation: customerRepresentation,
  readAccess: readScope('read_customers'),
};
