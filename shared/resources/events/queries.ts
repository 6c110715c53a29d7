import type { EventListQuery } from '../../contracts/generated.js';
import { firstIdAt } from '../../platform/id-times.js';
import type { Statement } from '../../platform/postgres.js';
import { addDateRange, Conditions, type ListScope, listStatement } from '../keyset-list.js';
import { eventRepresentation } from './representation.js';

/** How far the time in an event's id may be from its timestamp: both are of one process, and a plain date is midnight somewhere. */
const SLACK_MS = 24 * 3600 * 1000;

/** The page of events that a query asks for, newest first. */
export function listEvents(query: EventListQuery, scope: ListScope): Statement {
  const { type = '*', since, until } = query;
  const conditions = new Conditions().add('t.tenant_id = ?', scope.tenantId);
  if (type.endsWith('.*')) conditions.add('starts_with(t.type, ?)', type.slice(0, -1));
  else if (type !== '*') conditions.add('t.type = ?', type);
  // The bounds on the id say nothing new, but the primary key can start and stop there.
  if (since !== undefined) conditions.add('t.id >= ?::uuid', firstIdAt(Date.parse(since) - SLACK_MS));
  if (until !== undefined) conditions.add('t.id < ?::uuid', firstIdAt(Date.parse(until) + SLACK_MS));
  addDateRange(conditions, 'occurred_at', { since, until, timeZone: scope.timeZone });
  return listStatement({
    table: 'events',
    representation: eventRepresentation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
    timeOfIds: 'occurred_at',
  });
}
