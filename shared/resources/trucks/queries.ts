import type { TruckListQuery } from '../../contracts/generated.js';
import type { Statement } from '../../platform/postgres.js';
import { Conditions, type ListScope, listStatement } from '../keyset-list.js';
import { truckRepresentation, truckStatus } from './representation.js';

/** Builds the query for one page of trucks. The status filter applies to the derived status. */
export function listTrucks(query: TruckListQuery, scope: ListScope): Statement {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addIf(query.duty_class, 't.duty_class = ?')
    .addIf(query.status, `${truckStatus('t')} = ?`);
  return listStatement({
    table: 'trucks',
    representation: truckRepresentation('t'),
    conditions,
    search: query.search === undefined ? undefined : { term: query.search, columns: ['unit_number'] },
    limit: query.limit,
    position: scope.position,
  });
}
