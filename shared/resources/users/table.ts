import { ADMIN, type ResourceTable } from '../../records/resource-table.js';
import { userFields } from './fields.js';

export const userTable: ResourceTable = {
  entityType: 'user',
  table: 'users',
  collection: '/users',
  representation: userFields.representation,
  readAccess: ADMIN,
};
