import type { AuditListQuery } from '../../contracts/generated.js';
import { MAX_WHOLE_ITEMS } from '../../contracts/resource.js';
import { splitWords } from '../../contracts/schemas/fields.js';
import { firstIdAt } from '../../platform/id-times.js';
import { isUuid } from '../../platform/ids.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { addDateRange, buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { auditEntryRepresentation, briefAuditEntryRepresentation } from './representation.js';

const DAY_MS = 24 * 3600 * 1000;
/**
 * The longest assumed delay between the time in an entry's id and its `occurred_at`. The id
 * contains the time of the request, and `occurred_at` is the time of the commit. A request that is
 * accepted while no worker runs commits only after the outage. One of the 8 days is a margin,
 * because a date without a time can mean midnight in any time zone.
 */
const MAX_COMMIT_DELAY_MS = 8 * DAY_MS;

/** Lists audit entries by the time of the request, newest first. */
export function listAuditEntries(query: AuditListQuery, scope: ListScope): SqlQuery {
  return buildAuditListQuery(query, scope, auditEntryRepresentation('t'));
}

/** Lists audit entries for agents: whole entries on a short page, brief entries on a long page. */
export function listAgentAuditEntries(query: AuditListQuery, scope: ListScope): SqlQuery {
  const isShort = query.limit <= MAX_WHOLE_ITEMS;
  const representation = isShort ? auditEntryRepresentation('t') : briefAuditEntryRepresentation('t');
  return buildAuditListQuery(query, scope, representation);
}

function buildAuditListQuery(query: AuditListQuery, scope: ListScope, representation: string): SqlQuery {
  const { actor, since, until } = query;
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addEqual(query, 'entity_id', 'entity_type', 'action', 'request_id');
  const outcomes = query.outcome === undefined ? [] : splitWords(query.outcome);
  conditions.addAlternatives(outcomes.map((outcome) => conditions.bind('t.outcome = ?', outcome)));
  if (actor !== undefined) conditions.add(isUuid(actor) ? 't.actor_id = ?' : 't.actor_type = ?', actor);
  // These conditions on the id only limit what the index scan reads. `addDateRange` below selects
  // the rows.
  if (since !== undefined)
    conditions.add('t.id >= ?::uuid', firstIdAt(Date.parse(since) - MAX_COMMIT_DELAY_MS));
  if (until !== undefined) conditions.add('t.id < ?::uuid', firstIdAt(Date.parse(until) + DAY_MS));
  addDateRange(conditions, 'occurred_at', { since, until, timeZone: scope.timeZone });
  return buildListQuery({
    table: 'audit_entries',
    representation,
    conditions,
    limit: query.limit,
    position: scope.position,
    idTimeColumn: 'occurred_at',
  });
}
