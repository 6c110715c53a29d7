import type { AgentKeyListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { agentKeyFields } from './fields.js';

export function listAgentKeys(query: AgentKeyListQuery, scope: ListScope): SqlQuery {
  return buildListQuery({
    table: 'api_keys',
    representation: agentKeyFields.representation('t'),
    conditions: new Conditions().add("t.tenant_id = ? and t.kind = 'agent'", scope.tenantId),
    limit: query.limit,
    position: scope.position,
  });
}
