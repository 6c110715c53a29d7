import { ADMIN, type ResourceTable } from '../../records/resource-table.js';
import { agentKeyFields } from './fields.js';

export const agentKeyTable: ResourceTable = {
  entityType: 'agent_key',
  table: 'api_keys',
  collection: '/agent-keys',
  representation: agentKeyFields.representation,
  rowFilter: "kind = 'agent'",
  readAccess: ADMIN,
};
