import { READ, type ResourceTable } from '../../records/resource-table.js';
import { settingsRepresentation } from './representation.js';

export const settingsTable: ResourceTable = {
  entityType: 'settings',
  table: 'tenants',
  collection: '/settings',
  representation: settingsRepresentation,
  readAccess: READ,
};
