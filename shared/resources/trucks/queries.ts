import type { TruckListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { selectTruckStatus } from './current-work-order.js';
import { truckFields } from './fields.js';

/**
 * Lists trucks. The status filter compares the status that the API shows, not the stored status.
 */
export function listTrucks(query: TruckListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addEqual(query, 'duty_class')
    .addIf(query.status, `${selectTruckStatus('t')} = ?`);
  return buildListQuery({
    table: 'trucks',
    representation: truckFields.representation('t'),
    conditions,
    search: { term: query.search, columns: ['unit_number'] },
    limit: query.limit,
    position: scope.position,
  });
}
