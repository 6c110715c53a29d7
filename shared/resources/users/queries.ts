import type { UserListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { userFields } from './fields.js';

export function listUsers(query: UserListQuery, scope: ListScope): SqlQuery {
  return buildListQuery({
    table: 'users',
    representation: userFields.representation('t'),
    conditions: new Conditions()
      .add('t.tenant_id = ?', scope.tenantId)
      .addIf(query.is_active, '(t.deactivated_at is null) = ?'),
    limit: query.limit,
    position: scope.position,
  });
}
