import type { TruckPositionListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { addIdRange, buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { truckPositionFields } from './fields.js';

const representation = truckPositionFields.representation('t');

/** Lists the past positions of a truck, newest first. */
export function listTruckPositions(
  { truck_id, since, until, limit }: TruckPositionListQuery & { truck_id?: string },
  { tenantId, timeZone, position }: ListScope,
): SqlQuery {
  const conditions = new Conditions();
  addIdRange(conditions, { since, until, timeZone });
  conditions.add('t.tenant_id = ?', tenantId).add('t.truck_id = ?', truck_id);
  return buildListQuery({
    table: 'truck_positions',
    representation,
    conditions,
    limit,
    position,
    idTimeColumn: 'at',
  });
}
