import { type ResourceTable, readScope } from '../../records/resource-table.js';
import { truckRepresentation } from './representation.js';

export const truckTable: ResourceTable = {
  entityType: 'truck',
  table: 'trucks',
  collection: '/trucks',
  representation: truckRepresentation,
  readAccess: readScope('read_dispatch'),
};
