import { READ, type ResourceTable } from '../../records/resource-table.js';
import { inspectionFields } from './fields.js';

export const inspectionTable: ResourceTable = {
  entityType: 'inspection',
  table: 'inspections',
  collection: '/inspections',
  representation: inspectionFields.representation,
  readAccess: READ,
};
