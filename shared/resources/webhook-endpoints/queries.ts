import type { WebhookEndpointListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { webhookEndpointFields } from './fields.js';

export function listWebhookEndpoints(query: WebhookEndpointListQuery, scope: ListScope): SqlQuery {
  return buildListQuery({
    table: 'webhook_endpoints',
    representation: webhookEndpointFields.representation('t'),
    conditions: new Conditions().add('t.tenant_id = ? and t.deleted_at is null', scope.tenantId),
    limit: query.limit,
    position: scope.position,
  });
}
