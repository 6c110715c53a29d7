import { ADMIN, type ResourceTable } from '../../records/resource-table.js';
import { connectionFields } from './fields.js';

export const connectionTable: ResourceTable = {
  entityType: 'connection',
  table: 'connections',
  collection: '/connections',
  representation: connectionFields.representation,
  readAccess: ADMIN,
};
