import type { EventListQuery } from '../../contracts/generated.js';
import { firstIdAt } from '../../platform/id-times.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { addDateRange, buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { eventRepresentation } from './representation.js';

/**
 * The margin for the conditions on the id. These conditions treat a plain date as midnight in UTC,
 * but the date means midnight in the account's time zone.
 */
const MAX_TIME_DIFFERENCE_MS = 24 * 3600 * 1000;

export function listEvents(query: EventListQuery, scope: ListScope): SqlQuery {
  const { type = '*', since, until } = query;
  const conditions = new Conditions().add('t.tenant_id = ?', scope.tenantId);
  if (type.endsWith('.*')) conditions.add('starts_with(t.type, ?)', type.slice(0, -1));
  else if (type !== '*') conditions.add('t.type = ?', type);
  // These conditions on the id only limit what the scan of the primary key reads. `addDateRange`
  // below selects the rows.
  if (since !== undefined)
    conditions.add('t.id >= ?::uuid', firstIdAt(Date.parse(since) - MAX_TIME_DIFFERENCE_MS));
  if (until !== undefined)
    conditions.add('t.id < ?::uuid', firstIdAt(Date.parse(until) + MAX_TIME_DIFFERENCE_MS));
  addDateRange(conditions, 'occurred_at', { since, until, timeZone: scope.timeZone });
  return buildListQuery({
    table: 'events',
    representation: eventRepresentation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
    idTimeColumn: 'occurred_at',
  });
}
