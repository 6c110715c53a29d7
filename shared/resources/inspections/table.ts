import { READ, type ResourceTable } from '../../records/resource-table.js';
import { inspectionRepresentation } from './representation.js';

export const inspectionTable: ResourceTable = {
  entityType: 'inspection',
  table: 'inspections',
  collection: '/inspections',
  representation: inspectionRepresentation,
  readAccess: READ,
};
