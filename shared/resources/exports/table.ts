import { ADMIN, type ResourceTable } from '../../records/resource-table.js';
import { exportFields } from './fields.js';

export const exportTable: ResourceTable = {
  entityType: 'export',
  table: 'exports',
  collection: '/exports',
  representation: exportFields.representation,
  readAccess: ADMIN,
};
