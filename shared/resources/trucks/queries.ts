import type { TruckListQuery } from '../../contracts/generated.js';
import type { Statement } from '../../platform/postgres.js';
import { Conditions, containsPattern, type ListScope, listStatement } from '../keyset-list.js';
import { truckRepresentation, truckStatus } from './representation.js';

/** The page of trucks that a query asks for. A status is the one that the trucks show. */
export function listTrucks(query: TruckListQuery, scope: ListScope): Statement {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addIf(query.duty_class, 't.duty_class = ?')
    .addIf(query.status, `${truckStatus('t')} = ?`);
  if (query.search !== undefined) conditions.add('t.unit_number ilike ?', containsPattern(query.search));
  return listStatement({
    table: 'trucks',
    representation: truckRepresentation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}
