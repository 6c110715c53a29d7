import { READ, type ResourceTable } from '../../records/resource-table.js';
import { impoundRepresentation } from './representation.js';

export const impoundTable: ResourceTable = {
  entityType: 'impound',
  table: 'impounds',
  collection: '/impounds',
  representation: impoundRepresentation,
  readAccess: READ,
};
