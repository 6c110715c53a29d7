import type { ExportScheduleListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { exportScheduleFields } from './fields.js';

export function listExportSchedules(query: ExportScheduleListQuery, scope: ListScope): SqlQuery {
  return buildListQuery({
    table: 'export_schedules',
    representation: exportScheduleFields.representation('t'),
    conditions: new Conditions().add('t.tenant_id = ? and t.deleted_at is null', scope.tenantId),
    limit: query.limit,
    position: scope.position,
  });
}
