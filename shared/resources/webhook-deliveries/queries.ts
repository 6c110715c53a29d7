import type { WebhookAttemptListQuery, WebhookDeliveryListQuery } from '../../contracts/generated.js';
import type { Statement } from '../../platform/postgres.js';
import { firstIdAt } from '../id-times.js';
import { addDateRange, Conditions, type ListScope, listStatement } from '../keyset-list.js';
import { LONGEST_REPLAY_MS } from '../webhook-replays/limits.js';
import { webhookAttemptRepresentation, webhookDeliveryRepresentation } from './representation.js';

const DAY_MS = 24 * 3600 * 1000;
/** A delivery of a replay has the replay's time in its id, and may be made as late as that ends; and a plain date is midnight somewhere. */
const LONGEST_DELAY_MS = LONGEST_REPLAY_MS + DAY_MS;

/** The page of deliveries that a query asks for, newest first by their ids. */
export function listDeliveries(query: WebhookDeliveryListQuery, scope: ListScope): Statement {
  const { event_type: type = '*', status, trigger, since, until } = query;
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addIf(query.endpoint_id, 't.endpoint_id = ?')
    .addIf(query.event_id, 't.event_id = ?')
    .addIf(query.replay_id, 't.replay_id = ?');
  // Words of our own vocabulary, as constants: only so does a plan, which is made once for all values, know that a partial index holds the rows.
  if (status !== undefined) conditions.add(`t.status = '${status}'`);
  if (trigger !== undefined) conditions.add(`t.trigger = '${trigger}'`);
  if (type.endsWith('.*')) conditions.add('starts_with(t.event_type, ?)', type.slice(0, -1));
  else if (type !== '*') conditions.add('t.event_type = ?', type);
  // The bounds on the id say nothing new, but they leave out partitions, and the index can start and stop there.
  if (since !== undefined) conditions.add('t.id >= ?::uuid', firstIdAt(Date.parse(since) - LONGEST_DELAY_MS));
  if (until !== undefined) conditions.add('t.id < ?::uuid', firstIdAt(Date.parse(until) + DAY_MS));
  addDateRange(conditions, 'created_at', { since, until, timeZone: scope.timeZone });
  return listStatement({
    table: 'webhook_deliveries',
    representation: webhookDeliveryRepresentation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
    timeOfIds: 'created_at',
  });
}

/** The attempts of one delivery, newest first. */
export function listAttempts(
  query: WebhookAttemptListQuery & { delivery_id?: string },
  scope: ListScope,
): Statement {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .add('t.delivery_id = ?', query.delivery_id);
  return listStatement({
    table: 'webhook_attempts',
    representation: webhookAttemptRepresentation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
    timeOfIds: 'started_at',
  });
}
