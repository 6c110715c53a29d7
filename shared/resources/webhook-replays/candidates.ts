import type { WebhookReplay } from '../../contracts/generated.js';
import { matchesTypesSql } from '../../events/event-types.js';
import { firstIdAt, getIdTimeMs } from '../../platform/id-times.js';

export type ReplayKind = WebhookReplay['kind'];
export type ReplayFilter = WebhookReplay['filter'];

/** The clocks of two processes differ by less than this. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Returns SQL for the rows that a replay or recovery examines for endpoint `e`, oldest first. Rows
 * with `is_match` are delivered. {@link buildCandidateValues} supplies $1 to $6.
 * A replay examines the endpoint's deliveries with the status in the filter. Only deliveries whose
 * event is still stored match, because the event contains the body. Tests and probes have no event,
 * so they never match.
 * A recovery examines the account's events. An event matches if the endpoint subscribes to the
 * event, has not received it, and has no open delivery of it. Events about the endpoint itself
 * never match.
 */
export function renderCandidatesSql(kind: ReplayKind, { status }: ReplayFilter, limit: string): string {
  return kind === 'replay'
    ? `select d.id, d.event_id, d.event_type,
         d.body is null and d.created_at >= $4::timestamptz and d.created_at < $5::timestamptz
           and ${matchesTypesSql('d.event_type', 'array[$6::text]')}
           and exists (select from events v where v.tenant_id = d.tenant_id and v.id = d.event_id) as is_match
       from webhook_deliveries d
       where d.tenant_id = e.tenant_id and d.endpoint_id = e.id and d.status = '${status}' and d.id > $2::uuid and d.id < $3::uuid
       order by d.id limit ${limit}`
    : `select v.id, v.id as event_id, v.type as event_type,
         v.occurred_at >= $4::timestamptz and v.occurred_at < $5::timestamptz
           and ${matchesTypesSql('v.type', 'e.event_types')} and ${matchesTypesSql('v.type', 'array[$6::text]')}
           and (${IS_ABOUT_ENDPOINT_SQL}) is not true and (e.club_id is null or (${IS_OF_CLUB_SQL}) is true)
           and not exists (select from webhook_deliveries d where d.tenant_id = v.tenant_id and d.event_id = v.id and d.endpoint_id = e.id
             and (d.status = 'succeeded' or d.next_attempt_at is not null)) as is_match
       from events v where v.tenant_id = e.tenant_id and v.id > $2::uuid and v.id < $3::uuid
       order by v.id limit ${limit}`;
}

/**
 * SQL condition: the event `v` is about the endpoint `e` itself. Bodies may be large, so the `case`
 * makes PostgreSQL parse only the bodies of event types that concern endpoints.
 */
const IS_ABOUT_ENDPOINT_SQL = `case
    when v.type like 'endpoint.%' then v.body::jsonb #>> '{data,object,id}' = e.id::text
    when v.type = 'delivery.exhausted' then v.body::jsonb #>> '{data,endpoint,id}' = e.id::text
  end`;

/** SQL condition: the event `v` is about an offer of the club of the endpoint `e`. */
const IS_OF_CLUB_SQL = `case when v.type like 'club_offer.%' then v.body::jsonb #>> '{data,object,club_id}' = e.club_id::text end`;

interface CandidateQuery {
  tenantId: string;
  replayId: string;
  kind: ReplayKind;
  filter: ReplayFilter;
  /** The id of the last row that an earlier pass examined. */
  after?: string | undefined;
}

/**
 * Returns the values $1 to $6: tenant, bounds of the examined ids, bounds of the matching times,
 * event type.
 */
export function buildCandidateValues({ tenantId, replayId, kind, filter, after }: CandidateQuery): string[] {
  const createdAt = getIdTimeMs(replayId);
  const since = filter.since === null ? 0 : Date.parse(filter.since);
  const until = filter.until === null ? createdAt : Date.parse(filter.until);
  // For a replay, the upper bound excludes the deliveries that the replay itself creates. Their ids
  // begin with times after the creation of the replay.
  const endAt = until + CLOCK_TOLERANCE_MS;
  return [
    tenantId,
    after ?? firstIdAt(since - CLOCK_TOLERANCE_MS),
    firstIdAt(kind === 'replay' ? Math.min(createdAt, endAt) : endAt),
    filter.since ?? '-infinity',
    filter.until ?? 'infinity',
    filter.event_type ?? '*',
  ];
}
