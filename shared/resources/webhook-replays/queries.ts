import type { WebhookReplayListQuery } from '../../contracts/generated.js';
import type { Statement } from '../../platform/postgres.js';
import { Conditions, type ListScope, listStatement } from '../keyset-list.js';
import { webhookReplayRepresentation } from './representation.js';

/** Lists one page of replays and recoveries, newest first. */
export function listReplays(query: WebhookReplayListQuery, scope: ListScope): Statement {
  return listStatement({
    table: 'webhook_replays',
    representation: webhookReplayRepresentation('t'),
    conditions: new Conditions().add('t.tenant_id = ?', scope.tenantId),
    limit: query.limit,
    position: scope.position,
    timeOfIds: 'created_at',
  });
}
