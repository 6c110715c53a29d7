import { ADMIN, type ResourceTable } from '../../records/resource-table.js';
import { userRepresentation } from './representation.js';

export const userTable: ResourceTable = {
  entityType: 'user',
  table: 'users',
  collection: '/users',
  representation: userRepresentation,
  readAccess: ADMIN,
};
