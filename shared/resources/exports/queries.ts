import type { ExportListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { defineList } from '../../records/lists/define-list.js';
import { exportFields } from './fields.js';

export const listExports = defineList<ExportListQuery>({
  table: 'exports',
  fields: exportFields,
  filters: ['status', 'resource', 'schedule_id'],
});

/** Finds the objects of completed exports. The result omits all other exports. */
export function findExportObjects(tenantId: string, ids: readonly string[]): SqlQuery {
  return {
    name: 'export-objects',
    text: `select id, object_key, file_name, content_type, sha256, bytes from exports
           where tenant_id = $1 and id = any($2::uuid[]) and status = 'completed' and object_key is not null`,
    values: [tenantId, ids],
  };
}

/**
 * Builds a query that selects, from the given object keys, the keys that belong to the given
 * exports.
 */
export function findKnownObjects(
  tenantId: string,
  { ids, objectKeys }: { ids: readonly string[]; objectKeys: readonly string[] },
): SqlQuery {
  return {
    name: 'known-export-objects',
    // Search by id too, because no index contains the object keys.
    text: `select object_key from exports
           where tenant_id = $1 and id = any($2::uuid[]) and object_key = any($3)`,
    values: [tenantId, ids, objectKeys],
  };
}
