import type { SuggestionListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { suggestionFields } from './fields.js';

export function listSuggestions(query: SuggestionListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addIf(query.kind, 't.kind = ?')
    .addIf(query.status, 't.status = ?')
    .addIf(query.detector, 't.detector = ?')
    .addIf(query.entity_type, 't.entity_type = ?')
    .addIf(query.entity_id, 't.entity_id = ?')
    .addIf(query.invoice_id, 't.invoice_id = ?');
  return buildListQuery({
    table: 'suggestions',
    representation: suggestionFields.representation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}
