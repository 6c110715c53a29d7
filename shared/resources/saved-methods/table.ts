import { READ, type ResourceTable } from '../../records/resource-table.js';
import { savedMethodFields } from './fields.js';

export const savedMethodTable: ResourceTable = {
  entityType: 'saved_method',
  table: 'saved_methods',
  collection: '/payment-methods',
  representation: savedMethodFields.representation,
  readAccess: READ,
};
