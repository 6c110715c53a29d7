import { runWithoutFrozen } from '../platform/frozen/frozen-accounts.js';
import type { Database } from '../platform/postgres/database.js';
import { type EndpointQueueRef, endpointQueueKey, listQueueTenants } from '../queues/webhooks.js';
import { recordsetSql } from '../records/record-refs.js';
import { IS_OF_PARTED_CLUB_SQL } from './insert-event-deliveries.js';

export interface DueDelivery {
  id: string;
  eventId: string;
  eventType: string;
  trigger: string;
  /** Number of attempts so far. */
  attempts: number;
  /** 0 for live deliveries; 1 for replays, which are sent after the live ones. */
  priority: number;
  /** The body to send; null if the event was deleted. */
  body: string | null;
  createdAtMs: number;
}

export interface DueRequest extends EndpointQueueRef {
  room: number;
  /** Ids of deliveries that the worker has loaded already. */
  known: string[];
  /** The `known` ids whose deliveries a client may have cancelled. */
  doubtful: string[];
}

export interface DueResult extends EndpointQueueRef {
  /**
   * The endpoint's `updated_at`. A worker that has loaded another version must load the endpoint
   * again.
   */
  version: string;
  /**
   * The deliveries that the endpoint accepts. An endpoint that was disabled for failing accepts
   * only probes. Any other disabled endpoint, and that of a parted club, accepts none.
   */
  accepts: 'all' | 'probes' | 'none';
  deliveries: DueDelivery[];
  /** The `doubtful` ids whose deliveries have ended. */
  endedIds: string[];
  /**
   * Milliseconds until the next delivery is due. Null if no delivery is due within
   * {@link HORIZON_SECONDS}.
   */
  nextDueInMs: number | null;
}

/**
 * Workers schedule wake-up jobs only this far ahead. The clock finds deliveries that are due later.
 */
export const HORIZON_SECONDS = 60;

interface DueRow {
  tenant_id: string;
  endpoint_id: string;
  version: string;
  takes: DueResult['accepts'];
  next_due_in_ms: number | null;
  ended: string[];
  id: string | null;
  event_id: string;
  event_type: string;
  trigger: string;
  attempts: number;
  priority: number;
  body: string | null;
  created_at_ms: number;
}

const selectDueSql = (priority: number) => `
  (select d.id, d.event_id, d.event_type, d.trigger, d.attempts, d.priority, d.body, d.created_at from webhook_deliveries d
   where d.tenant_id = r.tenant_id and d.endpoint_id = r.endpoint_id and d.priority = ${priority} and d.next_attempt_at <= now()
     and d.id <> all (r.known)
   order by d.next_attempt_at, d.id limit r.room)`;

const selectNextDueSql = (priority: number) => `
  (select d.next_attempt_at from webhook_deliveries d
   where d.tenant_id = r.tenant_id and d.endpoint_id = r.endpoint_id and d.priority = ${priority}
     and d.next_attempt_at > now() and d.next_attempt_at <= now() + interval '${HORIZON_SECONDS} s'
   order by d.next_attempt_at limit 1)`;

/**
 * The SQL that lists the `doubtful` ids whose deliveries have ended. It looks up one id at a time
 * by the primary key. With `id = any (r.doubtful)`, the planner would scan another index.
 */
const ENDED_SQL = `array(
  select x.id from unnest(r.doubtful) as x(id)
  where (select d.next_attempt_at from webhook_deliveries d where d.tenant_id = r.tenant_id and d.id = x.id) is null)`;

const TAKES_SQL = `
  case when p.deleted_at is not null or ${IS_OF_PARTED_CLUB_SQL} then 'none' when p.enabled then 'all' when p.disabled_reason = 'failing' then 'probes' else 'none' end`;

/**
 * Finds up to `room` due deliveries of each endpoint queue. Live deliveries come before replays,
 * and earlier due times before later ones. The result omits queues whose endpoint does not exist
 * or whose account is frozen.
 */
export function findDue(db: Database, requests: DueRequest[]): Promise<DueResult[]> {
  return runWithoutFrozen(
    requests,
    ({ tenantId }) => tenantId,
    (rest) => findDueOfWritable(db, rest),
  );
}

async function findDueOfWritable(db: Database, requests: DueRequest[]): Promise<DueResult[]> {
  const requestRows = requests.map(({ tenantId, endpointId, ...rest }) => ({
    tenant_id: tenantId,
    endpoint_id: endpointId,
    ...rest,
  }));
  const rows = await db.transaction(listQueueTenants(requests), (tx) =>
    tx.query<DueRow>({
      name: 'find-due-deliveries',
      // Without `materialized`, PostgreSQL would evaluate the expressions of a queue once per
      // delivery. A subquery reads the event's body, because with a join PostgreSQL read all events
      // of the tenant for each delivery.
      text: `with lanes as materialized (
               select r.tenant_id, r.endpoint_id, r.room, r.known, p.updated_at::text as version, ${TAKES_SQL} as takes,
                 (extract(epoch from least(${selectNextDueSql(0)}, ${selectNextDueSql(1)}) - now()) * 1000)::float8 as next_due_in_ms, ${ENDED_SQL} as ended
               from ${recordsetSql('tenant_id uuid, endpoint_id uuid, room integer, known uuid[], doubtful uuid[]')}
               join webhook_endpoints p on p.tenant_id = r.tenant_id and p.id = r.endpoint_id
             )
             select r.tenant_id, r.endpoint_id, r.version, r.takes, r.next_due_in_ms, r.ended,
               d.id, d.event_id, d.event_type, d.trigger, d.attempts, d.priority,
               coalesce(d.body, (select e.body from events e where e.tenant_id = r.tenant_id and e.id = d.event_id)) as body,
               (extract(epoch from d.created_at) * 1000)::float8 as created_at_ms
             from lanes r left join lateral (${selectDueSql(0)} union all ${selectDueSql(1)} limit r.room) d on true`,
      values: [JSON.stringify(requestRows)],
    }),
  );
  return groupByEndpointQueue(rows);
}

function groupByEndpointQueue(rows: DueRow[]): DueResult[] {
  const results = new Map<string, DueResult>();
  for (const row of rows) {
    const ref = { tenantId: row.tenant_id, endpointId: row.endpoint_id };
    const key = endpointQueueKey(ref);
    let result = results.get(key);
    if (!result) {
      result = {
        ...ref,
        version: row.version,
        accepts: row.takes,
        deliveries: [],
        endedIds: row.ended,
        nextDueInMs: row.next_due_in_ms,
      };
      results.set(key, result);
    }
    if (row.id === null) continue;
    result.deliveries.push({
      id: row.id,
      eventId: row.event_id,
      eventType: row.event_type,
      trigger: row.trigger,
      attempts: row.attempts,
      priority: row.priority,
      body: row.body,
      createdAtMs: row.created_at_ms,
    });
  }
  return [...results.values()];
}
