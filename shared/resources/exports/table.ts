import { ADMIN, type ResourceTable } from '../../records/resource-table.js';
import { exportRepresentation } from './representation.js';

export const exportTable: ResourceTable = {
  entityType: 'export',
  table: 'exports',
  collection: '/exports',
  representation: exportRepresentation,
  readAccess: ADMIN,
};
