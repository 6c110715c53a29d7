import { ADMIN, type ResourceTable } from '../../records/resource-table.js';
import { apiKeyFields } from './fields.js';

export const apiKeyTable: ResourceTable = {
  entityType: 'api_key',
  label: 'API key',
  table: 'api_keys',
  collection: '/api-keys',
  representation: apiKeyFields.representation,
  rowFilter: "kind = 'api'",
  readAccess: ADMIN,
};
