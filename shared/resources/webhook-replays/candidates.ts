import type { WebhookReplay } from '../../contracts/generated.js';
import { matchesTypesSql } from '../../events/event-types.js';
import { firstIdAt, timeOfId } from '../../platform/id-times.js';

export type ReplayKind = WebhookReplay['kind'];
export type ReplayFilter = WebhookReplay['filter'];

/** Clocks of processes differ by less. */
const SLACK_MS = 60_000;

/**
 * What a replay looks at for an endpoint, in the order of time: the rows of this statement, of which those with `is_match` are to be delivered. A part of a
 * statement that has the endpoint as `e`; parameters $1 to $6 are {@link candidateValues}, `limit` bounds what is looked at.
 *
 * A replay looks at the endpoint's deliveries of the wanted status; a recovery at the account's events, of which it takes those that the endpoint subscribes to
 * and that have neither arrived there nor are on their way; not those about the endpoint itself, which never go to it. Only what is still kept can be sent; tests and probes are no events.
 */
export function candidates(kind: ReplayKind, { status }: ReplayFilter, limit: string): string {
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
           and (${IS_ABOUT_ENDPOINT}) is not true
           and not exists (select from webhook_deliveries d where d.tenant_id = v.tenant_id and d.event_id = v.id and d.endpoint_id = e.id
             and (d.status = 'succeeded' or d.next_attempt_at is not null)) as is_match
       from events v where v.tenant_id = e.tenant_id and v.id > $2::uuid and v.id < $3::uuid
       order by v.id limit ${limit}`;
}

/** A case: of no other event the body, which may be large, is parsed. */
const IS_ABOUT_ENDPOINT = `case
    when v.type like 'endpoint.%' then v.body::jsonb #>> '{data,object,id}' = e.id::text
    when v.type = 'delivery.exhausted' then v.body::jsonb #>> '{data,endpoint,id}' = e.id::text
  end`;

interface Sought {
  tenantId: string;
  replayId: string;
  kind: ReplayKind;
  filter: ReplayFilter;
  /** The last that was looked at. */
  after?: string | undefined;
}

/** Values of $1 to $6: tenant, ids between which to look, times between which to take, type. */
export function candidateValues({ tenantId, replayId, kind, filter, after }: Sought): string[] {
  const madeAt = timeOfId(replayId);
  const since = filter.since === null ? 0 : Date.parse(filter.since);
  const until = filter.until === null ? madeAt : Date.parse(filter.until);
  // What a replay makes has an id of its own time, which is where it stops: else it would repeat itself.
  const end = until + SLACK_MS;
  return [
    tenantId,
    after ?? firstIdAt(since - SLACK_MS),
    firstIdAt(kind === 'replay' ? Math.min(madeAt, end) : end),
    filter.since ?? '-infinity',
    filter.until ?? 'infinity',
    filter.event_type ?? '*',
  ];
}
