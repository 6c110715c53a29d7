import { READ, type ResourceTable } from '../../records/resource-table.js';
import { impoundFields } from './fields.js';

export const impoundTable: ResourceTable = {
  entityType: 'impound',
  table: 'impounds',
  collection: '/impounds',
  representation: impoundFields.representation,
  readAccess: READ,
};
