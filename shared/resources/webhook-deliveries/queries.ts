import type { WebhookAttemptListQuery, WebhookDeliveryListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { addIdRange, buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { webhookAttemptRepresentation, webhookDeliveryRepresentation } from './representation.js';

export function listDeliveries(query: WebhookDeliveryListQuery, scope: ListScope): SqlQuery {
  const { event_type: type = '*', status, trigger, since, until } = query;
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addEqual(query, 'endpoint_id', 'event_id', 'replay_id');
  // `status` and `trigger` are written into the SQL text. If they were parameters, all their values
  // would share one plan, and such a plan uses no partial index. Writing them into the text is
  // safe, because the schema allows only our own words.
  if (status !== undefined) conditions.add(`t.status = '${status}'`);
  if (trigger !== undefined) conditions.add(`t.trigger = '${trigger}'`);
  if (type.endsWith('.*')) conditions.add('starts_with(t.event_type, ?)', type.slice(0, -1));
  else if (type !== '*') conditions.add('t.event_type = ?', type);
  addIdRange(conditions, { since, until, timeZone: scope.timeZone });
  return buildListQuery({
    table: 'webhook_deliveries',
    representation: webhookDeliveryRepresentation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
    idTimeColumn: 'created_at',
  });
}

/**
 * Builds the query for the body that every attempt of a delivery sends. Only tests and probes have
 * their own body. All other deliveries send the body of their event.
 */
export function readDeliveryBody(tenantId: string, id: string): SqlQuery {
  return {
    name: 'read-delivery-body',
    text: `select coalesce(d.body, e.body) as body from webhook_deliveries d
           left join events e on e.tenant_id = d.tenant_id and e.id = d.event_id
           where d.tenant_id = $1 and d.id = $2`,
    values: [tenantId, id],
  };
}

export function listAttempts(
  query: WebhookAttemptListQuery & { delivery_id?: string },
  scope: ListScope,
): SqlQuery {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .add('t.delivery_id = ?', query.delivery_id);
  return buildListQuery({
    table: 'webhook_attempts',
    representation: webhookAttemptRepresentation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
    idTimeColumn: 'started_at',
  });
}
