import type { WebhookReplayListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { webhookReplayRepresentation } from './representation.js';

export function listReplays(query: WebhookReplayListQuery, scope: ListScope): SqlQuery {
  return buildListQuery({
    table: 'webhook_replays',
    representation: webhookReplayRepresentation('t'),
    conditions: new Conditions().add('t.tenant_id = ?', scope.tenantId),
    limit: query.limit,
    position: scope.position,
    idTimeColumn: 'created_at',
  });
}
