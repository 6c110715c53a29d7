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

/** Builds a query for those of the objects that are files of exports with these ids. */
export function findKnownObjects(
  tenantId: string,
  { ids, objectKeys }: { ids: readonly string[]; objectKeys: readonly string[] },
): SqlQuery {
  return {
    name: 'known-export-objects',
    // The ids find the rows by the primary key; no index contains the object keys.
    text: `select object_key from exports
           where tenant_id = $1 and id = any($2::uuid[]) and object_key = any($3)`,
    values: [tenantId, ids, objectKeys],
  };
}
