import { type ResourceTable, readScope } from '../../records/resource-table.js';
import { driverRepresentation } from './representation.js';

export const driverTable: ResourceTable = {
  entityType: 'driver',
  table: 'drivers',
  collection: '/drivers',
  representation: driverRepresentation,
  readAccess: readScope('read_dispatch'),
};
