import { ADMIN, type ResourceTable } from '../../records/resource-table.js';
import { agentKeyRepresentation } from './representation.js';

export const agentKeyTable: ResourceTable = {
  entityType: 'agent_key',
  table: 'api_keys',
  collection: '/agent-keys',
  representation: agentKeyRepresentation,
  rowFilter: "kind = 'agent'",
  readAccess: ADMIN,
};
