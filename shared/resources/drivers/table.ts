import { type ResourceTable, readScope } from '../../records/resource-table.js';
import { driverFields } from './fields.js';

export const driverTable: ResourceTable = {
  entityType: 'driver',
  table: 'drivers',
  collection: '/drivers',
  representation: driverFields.representation,
  readAccess: readScope('read_dispatch'),
};
