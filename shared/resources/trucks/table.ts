import { type ResourceTable, readScope } from '../../records/resource-table.js';
import { truckFields } from './fields.js';

export const truckTable: ResourceTable = {
  entityType: 'truck',
  table: 'trucks',
  collection: '/trucks',
  representation: truckFields.representation,
  readAccess: readScope('read_dispatch'),
};
