import type { SuggestionListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { suggestionFields } from './fields.js';

export function listSuggestions(query: SuggestionListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addEqual(query, 'kind', 'status', 'detector', 'entity_type', 'entity_id', 'invoice_id');
  return buildListQuery({
    table: 'suggestions',
    representation: suggestionFields.representation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}
