import type { WebhookEndpointListQuery } from '../../contracts/generated.js';
import type { Statement } from '../../platform/postgres.js';
import { Conditions, type ListScope, listStatement } from '../keyset-list.js';
import { webhookEndpointRepresentation } from './representation.js';

export function listWebhookEndpoints(query: WebhookEndpointListQuery, scope: ListScope): Statement {
  return listStatement({
    table: 'webhook_endpoints',
    representation: webhookEndpointRepresentation('t'),
    conditions: new Conditions().add('t.tenant_id = ? and t.deleted_at is null', scope.tenantId),
    limit: query.limit,
    position: scope.position,
  });
}
