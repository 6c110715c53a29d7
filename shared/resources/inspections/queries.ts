import type { InspectionListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import {
  addDateRange,
  buildListQuery,
  Conditions,
  type FilterScope,
  type ListScope,
} from '../../records/lists/keyset-list.js';
import { inspectionFields } from './fields.js';

/** Returns the filters that lists and exports of inspections share. */
export function inspectionConditions(query: InspectionListQuery, scope: FilterScope): Conditions {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addEqual(query, 'kind', 'truck_id', 'driver_id', 'work_order_id', 'result');
  addDateRange(conditions, 'created_at', {
    since: query.since,
    until: query.until,
    timeZone: scope.timeZone,
  });
  return conditions;
}

export function listInspections(query: InspectionListQuery, scope: ListScope): SqlQuery {
  return buildListQuery({
    table: 'inspections',
    representation: inspectionFields.representation('t'),
    conditions: inspectionConditions(query, scope),
    limit: query.limit,
    position: scope.position,
  });
}
