import type { TruckListQuery, TruckPositionListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { addIdRange, buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { selectTruckStatus } from './current-work-order.js';
import { truckFields } from './fields.js';
import { truckPositionFields } from './position-fields.js';

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

/** Past positions are shown for this time. */
const POSITION_DAYS = 30;

/** Lists the past positions of a truck, newest first. */
export function listTruckPositions(
  { truck_id, since, until, limit }: TruckPositionListQuery & { truck_id?: string },
  { tenantId, timeZone, position }: ListScope,
): SqlQuery {
  const conditions = new Conditions();
  addIdRange(conditions, { since, until, timeZone });
  conditions
    .add('t.tenant_id = ?', tenantId)
    .add('t.truck_id = ?', truck_id)
    // A partition ends up to a week later.
    .add("t.at > now() - ?::integer * interval '1 day'", POSITION_DAYS);
  return buildListQuery({
    table: 'truck_positions',
    representation: truckPositionFields.representation('t'),
    conditions,
    limit,
    position,
    idTimeColumn: 'at',
  });
}
