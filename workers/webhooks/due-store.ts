import type { Database } from '../../shared/platform/postgres.js';
import { type LaneRef, laneKey, tenantsOf } from '../../shared/queues/webhooks.js';
import { recordset } from '../../shared/resources/sets.js';

/** A delivery to attempt now. */
export interface DueDelivery {
  id: string;
  eventId: string;
  eventType: string;
  trigger: string;
  /** Made so far. */
  attempts: number;
  /** 0: live; 1: replays, which wait for live ones. */
  priority: number;
  /** Null: its event is gone. */
  body: string | null;
  createdAtMs: number;
}

/** How much a lane can take. */
export interface DueRequest extends LaneRef {
  room: number;
  /** Deliveries that are in hand already. */
  known: string[];
  /** Those among them that may have been cancelled. */
  doubtful: string[];
}

/** What a look found for one lane. */
export interface DueAnswer extends LaneRef {
  /** The endpoint's updated_at: whoever has read another one must read its settings again. */
  version: string;
  /** Which deliveries it takes: a disabled endpoint takes none, but for a probe of one that was disabled for its failures. */
  takes: 'all' | 'probes' | 'none';
  deliveries: DueDelivery[];
  /** Doubtful ones that have ended indeed. */
  ended: string[];
  /** In how many ms the next one falls due; null: not within the horizon. */
  nextDueInMs: number | null;
}

/** Wake-ups are made only so far ahead; what falls due later is found by the clock then. */
export const HORIZON_SECONDS = 60;

interface DueRow {
  tenant_id: string;
  endpoint_id: string;
  version: string;
  takes: DueAnswer['takes'];
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

const dueOf = (priority: number) => `
  (select d.id, d.event_id, d.event_type, d.trigger, d.attempts, d.priority, d.body, d.created_at from webhook_deliveries d
   where d.tenant_id = r.tenant_id and d.endpoint_id = r.endpoint_id and d.priority = ${priority} and d.next_attempt_at <= now()
     and d.id <> all (r.known)
   order by d.next_attempt_at, d.id limit r.room)`;

const nextOf = (priority: number) => `
  (select d.next_attempt_at from webhook_deliveries d
   where d.tenant_id = r.tenant_id and d.endpoint_id = r.endpoint_id and d.priority = ${priority}
     and d.next_attempt_at > now() and d.next_attempt_at <= now() + interval '${HORIZON_SECONDS} s'
   order by d.next_attempt_at limit 1)`;

/** One by one: for the whole array the planner would rather read another index from end to end than the primary key so many times. */
const ENDED = `array(
  select x.id from unnest(r.doubtful) as x(id)
  where (select d.next_attempt_at from webhook_deliveries d where d.tenant_id = r.tenant_id and d.id = x.id) is null)`;

const TAKES = `
  case when p.deleted_at is not null then 'none' when p.enabled then 'all' when p.disabled_reason = 'failing' then 'probes' else 'none' end`;

/** The oldest due deliveries of some lanes, live ones before replays. Lanes of endpoints that do not exist are missing from the answer. */
export async function findDue(db: Database, requests: DueRequest[]): Promise<DueAnswer[]> {
  const asked = requests.map(({ tenantId, endpointId, ...rest }) => ({
    tenant_id: tenantId,
    endpoint_id: endpointId,
    ...rest,
  }));
  const rows = await db.transaction(tenantsOf(requests), (tx) =>
    tx.query<DueRow>({
      name: 'find-due-deliveries',
      // Materialized: what is asked once for a lane would else be asked for each of its deliveries. And with a join instead of the last subquery all events
      // of the tenant were read for each of them.
      text: `with lanes as materialized (
               select r.tenant_id, r.endpoint_id, r.room, r.known, p.updated_at::text as version, ${TAKES} as takes,
                 (extract(epoch from least(${nextOf(0)}, ${nextOf(1)}) - now()) * 1000)::float8 as next_due_in_ms, ${ENDED} as ended
               from ${recordset('tenant_id uuid, endpoint_id uuid, room integer, known uuid[], doubtful uuid[]')}
               join webhook_endpoints p on p.tenant_id = r.tenant_id and p.id = r.endpoint_id
             )
             select r.tenant_id, r.endpoint_id, r.version, r.takes, r.next_due_in_ms, r.ended,
               d.id, d.event_id, d.event_type, d.trigger, d.attempts, d.priority,
               coalesce(d.body, (select e.body from events e where e.tenant_id = r.tenant_id and e.id = d.event_id)) as body,
               (extract(epoch from d.created_at) * 1000)::float8 as created_at_ms
             from lanes r left join lateral (${dueOf(0)} union all ${dueOf(1)} limit r.room) d on true`,
      values: [JSON.stringify(asked)],
    }),
  );
  return groupByLane(rows);
}

function groupByLane(rows: DueRow[]): DueAnswer[] {
  const answers = new Map<string, DueAnswer>();
  for (const row of rows) {
    const lane = { tenantId: row.tenant_id, endpointId: row.endpoint_id };
    const key = laneKey(lane);
    let answer = answers.get(key);
    if (!answer) {
      answer = {
        ...lane,
        version: row.version,
        takes: row.takes,
        deliveries: [],
        ended: row.ended,
        nextDueInMs: row.next_due_in_ms,
      };
      answers.set(key, answer);
    }
    if (row.id === null) continue;
    answer.deliveries.push({
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
  return [...answers.values()];
}

const CANCELLED_PER_PASS = 1000;

/** Cancels what is open at an endpoint that takes it no more. Answers whether there is more of it. */
export async function cancelOpen(
  db: Database,
  { tenantId, endpointId, takes }: Pick<DueAnswer, 'tenantId' | 'endpointId' | 'takes'>,
): Promise<boolean> {
  const rows = await db.transaction([tenantId], (tx) =>
    tx.query<{ id: string }>({
      name: 'cancel-open-deliveries',
      text: `update webhook_deliveries d set status = 'cancelled', next_attempt_at = null, completed_at = now(), last_error = 'endpoint_disabled'
             where d.tenant_id = $1 and d.id = any (array(
               select o.id from webhook_deliveries o
               where o.tenant_id = $1 and o.endpoint_id = $2 and o.next_attempt_at is not null and (o.trigger <> 'probe' or $3)
               limit ${CANCELLED_PER_PASS}))
               and d.next_attempt_at is not null
               and exists (select from webhook_endpoints p where p.tenant_id = $1 and p.id = $2 and (not p.enabled or p.deleted_at is not null))
             returning d.id`,
      values: [tenantId, endpointId, takes === 'none'],
    }),
  );
  return rows.length === CANCELLED_PER_PASS;
}

/** Tells the log which deliveries have been under way for a while; one whose attempt is stored by now is not. */
export async function markDelivering(
  db: Database,
  deliveries: { tenantId: string; id: string; attempts: number }[],
): Promise<void> {
  const rows = deliveries.map(({ tenantId, id, attempts }) => ({ tenant_id: tenantId, id, attempts }));
  await db.transaction(tenantsOf(deliveries), async (tx) =>
    tx.queryAtCommit({
      name: 'mark-delivering',
      text: `update webhook_deliveries d set status = 'delivering' from ${recordset('tenant_id uuid, id uuid, attempts smallint')}
             where d.tenant_id = r.tenant_id and d.id = r.id and d.attempts = r.attempts and d.status in ('pending', 'failed')`,
      values: [JSON.stringify(rows)],
    }),
  );
}
