import type { DriverListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { driverFields } from './fields.js';

export function listDrivers(query: DriverListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions().add('t.tenant_id = ?', scope.tenantId).addEqual(query, 'status');
  return buildListQuery({
    table: 'drivers',
    representation: driverFields.representation('t'),
    conditions,
    search: { term: query.search, columns: ['name'] },
    limit: query.limit,
    position: scope.position,
  });
}
