import type { DriverListQuery } from '../../contracts/generated.js';
import type { Statement } from '../../platform/postgres.js';
import { Conditions, type ListScope, listStatement } from '../keyset-list.js';
import { driverRepresentation } from './representation.js';

export function listDrivers(query: DriverListQuery, scope: ListScope): Statement {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addIf(query.status, 't.status = ?');
  return listStatement({
    table: 'drivers',
    representation: driverRepresentation('t'),
    conditions,
    search: query.search === undefined ? undefined : { term: query.search, columns: ['name'] },
    limit: query.limit,
    position: scope.position,
  });
}
