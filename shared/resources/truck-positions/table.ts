import { type ResourceTable, readScope } from '../../records/resource-table.js';
import { truckPositionFields } from './fields.js';

export const truckPositionTable: ResourceTable = {
  entityType: 'truck_position',
  label: 'position',
  table: 'truck_positions',
  collection: '/positions',
  representation: truckPositionFields.representation,
  readAccess: readScope('read_dispatch'),
};
