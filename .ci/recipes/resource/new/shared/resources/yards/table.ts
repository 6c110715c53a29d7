import { READ, type ResourceTable } from '../../records/resource-table.js';
import { yardFields } from './fields.js';

export const yardTable: ResourceTable = {
  entityType: 'yard',
  table: 'yards',
  collection: '/yards',
  representation: yardFields.representation,
  readAccess: READ,
};
