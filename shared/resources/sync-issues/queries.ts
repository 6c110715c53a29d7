import type { SyncIssueListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { syncIssueFields } from './fields.js';

export function listSyncIssues(query: SyncIssueListQuery, scope: ListScope): SqlQuery {
  return buildListQuery({
    table: 'sync_issues',
    representation: syncIssueFields.representation('t'),
    conditions: new Conditions()
      .add('t.tenant_id = ?', scope.tenantId)
      .addIf(query.connection_id, 't.connection_id = ?')
      .addIf(query.status, 't.status = ?')
      .addIf(query.kind, 't.kind = ?'),
    limit: query.limit,
    position: scope.position,
  });
}
