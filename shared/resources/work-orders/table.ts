import { type ResourceTable, readScope } from '../../records/resource-table.js';
import { workOrderRepresentation } from './representation.js';

export const workOrderTable: ResourceTable = {
  entityType: 'work_order',
  table: 'work_orders',
  collection: '/work-orders',
  representation: workOrderRepresentation,
  readAccess: readScope('read_work_orders'),
};
