import type { AgentKeyListQuery } from '../../contracts/generated.js';
import { defineList } from '../../records/lists/define-list.js';
import { agentKeyFields } from './fields.js';

export const listAgentKeys = defineList<AgentKeyListQuery>({
  table: 'api_keys',
  fields: agentKeyFields,
  only: "t.kind = 'agent'",
});
