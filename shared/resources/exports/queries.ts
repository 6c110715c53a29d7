import type { ExportListQuery } from '../../contracts/generated.js';
import type { Statement } from '../../platform/postgres.js';
import { Conditions, type ListScope, listStatement } from '../keyset-list.js';
import { exportRepresentation } from './representation.js';

/** The page of exports that a query asks for, newest first. */
export function listExports(query: ExportListQuery, scope: ListScope): Statement {
  return listStatement({
    table: 'exports',
    representation: exportRepresentation('t'),
    conditions: new Conditions()
      .add('t.tenant_id = ?', scope.tenantId)
      .addIf(query.status, 't.status = ?')
      .addIf(query.resource, 't.resource = ?')
      .addIf(query.schedule_id, 't.schedule_id = ?'),
    limit: query.limit,
    position: scope.position,
  });
}

/** What storage keeps of those of these exports that are completed. */
export function exportObjects(tenantId: string, ids: readonly string[]): Statement {
  return {
    name: 'export-objects',
    text: `select id, object_key, file_name, content_type, sha256, bytes from exports
           where tenant_id = $1 and id = any($2::uuid[]) and status = 'completed' and object_key is not null`,
    values: [tenantId, ids],
  };
}

/** A row when the export is there and this is its object. */
export function findKnownObjects(tenantId: string, id: string, objectKey: string): Statement {
  return {
    name: 'known-export-object',
    text: 'select id from exports where tenant_id = $1 and id = $2 and object_key = $3',
    values: [tenantId, id, objectKey],
  };
}
