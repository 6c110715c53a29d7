import type { ImpoundListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { impoundFields } from './fields.js';

export function listImpounds(query: ImpoundListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addEqual(query, 'status', 'work_order_id');
  return buildListQuery({
    table: 'impounds',
    representation: impoundFields.representation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}
