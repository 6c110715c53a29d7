import type { InspectionListQuery } from '../../contracts/generated.js';
import type { Statement } from '../../platform/postgres.js';
import { addDateRange, Conditions, type ListScope, listStatement } from '../keyset-list.js';
import { inspectionRepresentation } from './representation.js';

/** The page of inspections that a query asks for. */
export function listInspections(query: InspectionListQuery, scope: ListScope): Statement {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addIf(query.kind, 't.kind = ?')
    .addIf(query.truck_id, 't.truck_id = ?')
    .addIf(query.driver_id, 't.driver_id = ?')
    .addIf(query.work_order_id, 't.work_order_id = ?')
    .addIf(query.result, 't.result = ?');
  addDateRange(conditions, 'created_at', {
    since: query.since,
    until: query.until,
    timeZone: scope.timeZone,
  });
  return listStatement({
    table: 'inspections',
    representation: inspectionRepresentation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}
