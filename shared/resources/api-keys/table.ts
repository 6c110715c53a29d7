import { ADMIN, type ResourceTable } from '../../records/resource-table.js';
import { apiKeyRepresentation } from './representation.js';

export const apiKeyTable: ResourceTable = {
  entityType: 'api_key',
  table: 'api_keys',
  collection: '/api-keys',
  representation: apiKeyRepresentation,
  rowFilter: "kind = 'api'",
  readAccess: ADMIN,
};
