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
      .addIf(query.resource, 't.resource = ?'),
    limit: query.limit,
    position: scope.position,
  });
}

/** Where storage keeps the files of those of these exports that are completed: rows of id and object_key. */
export function exportObjects(tenantId: string, ids: readonly string[]): Statement {
  return {
    name: 'export-objects',
    text: `select id, object_key from exports
           where tenant_id = $1 and id = any($2::uuid[]) and status = 'completed' and object_key is not null`,
    values: [tenantId, ids],
  };
}
