import type { YardListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { yardFields } from './fields.js';

export function listYards(query: YardListQuery, scope: ListScope): SqlQuery {
  return buildListQuery({
    table: 'yards',
    representation: yardFields.representation('t'),
    conditions: new Conditions().add('t.tenant_id = ?', scope.tenantId),
    limit: query.limit,
    position: scope.position,
  });
}
