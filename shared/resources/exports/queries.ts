import type { ExportListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { exportFields } from './fields.js';

export function listExports(query: ExportListQuery, scope: ListScope): SqlQuery {
  return buildListQuery({
    table: 'exports',
    representation: exportFields.representation('t'),
    conditions: new Conditions()
      .add('t.tenant_id = ?', scope.tenantId)
      .addEqual(query, 'status', 'resource', 'schedule_id'),
    limit: query.limit,
    position: scope.position,
  });
}

/** Finds the objects of completed exports. The result omits all other exports. */
export function findExportObjects(tenantId: string, ids: readonly string[]): SqlQuery {
  return {
    name: 'export-objects',
    text: `select id, object_key, file_name, content_type, sha256, bytes from exports
           where tenant_id = $1 and id = any($2::uuid[]) and status = 'completed' and object_key is not null`,
    values: [tenantId, ids],
  };
}

/** Builds a query that returns one row if the export exists and has this object. */
export function findKnownObjects(tenantId: string, id: string, objectKey: string): SqlQuery {
  return {
    name: 'known-export-object',
    text: 'select id from exports where tenant_id = $1 and id = $2 and object_key = $3',
    values: [tenantId, id, objectKey],
  };
}
