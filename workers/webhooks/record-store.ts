import type { Database, Statement } from '../../shared/platform/postgres.js';
import { type LaneRef, tenantsOf } from '../../shared/queues/webhooks.js';
import { recordset } from '../../shared/resources/sets.js';
import type { LaneHealth } from './lane-health.js';
import type { Decision } from './retry-policy.js';
import type { Attempt } from './send.js';

/** What one attempt changes. */
export interface AttemptRecord extends LaneRef {
  deliveryId: string;
  /** Which attempt of the delivery this was, from 1. */
  number: number;
  /** Undefined: nothing was sent, the delivery ended without an attempt. */
  attempt: Attempt | undefined;
  decision: Decision;
}

/** What is to be remembered of a lane. */
export interface LaneRecord extends LaneRef {
  owner: string;
  health: LaneHealth;
}

/**
 * Stores a set of attempts, what follows for their deliveries, and the state of their lanes, in one transaction. Storing a set again changes nothing: whoever
 * loses the connection at the commit does not know what became of it.
 */
export async function storeAttempts(
  db: Database,
  records: AttemptRecord[],
  lanes: LaneRecord[],
): Promise<void> {
  await db.transaction(tenantsOf([...records, ...lanes]), async (tx) => {
    tx.queryAtCommit(insertAttempts(records));
    tx.queryAtCommit(updateDeliveries(records));
    if (lanes.length > 0) tx.queryAtCommit(updateLanes(lanes));
  });
}

/** Stores the state of lanes of which nothing else is to be told. */
export async function storeHealth(db: Database, lanes: LaneRecord[]): Promise<void> {
  await db.transaction(tenantsOf(lanes), async (tx) => tx.queryAtCommit(updateLanes(lanes)));
}

const ATTEMPT_COLUMNS = `tenant_id uuid, id uuid, delivery_id uuid, endpoint_id uuid, attempt smallint, started_at timestamptz, url text,
  request_headers json, response_status smallint, response_headers json, response_body text, response_truncated boolean, error_class text,
  error_message text, remote_address text, connect_ms integer, first_byte_ms integer, total_ms integer`;

function insertAttempts(records: AttemptRecord[]): Statement {
  const names = ATTEMPT_COLUMNS.replace(/ (uuid|smallint|timestamptz|text|json|boolean|integer)\b/g, '');
  return {
    name: 'insert-attempts',
    text: `insert into webhook_attempts (${names}) select ${names} from json_to_recordset($1::json) as r(${ATTEMPT_COLUMNS})
           on conflict do nothing`,
    values: [
      JSON.stringify(records.flatMap(({ attempt, ...rest }) => (attempt ? [attemptRow(rest, attempt)] : []))),
    ],
  };
}

function attemptRow(
  { tenantId, endpointId, deliveryId, number }: Omit<AttemptRecord, 'attempt'>,
  attempt: Attempt,
) {
  return {
    tenant_id: tenantId,
    id: attempt.id,
    delivery_id: deliveryId,
    endpoint_id: endpointId,
    attempt: number,
    started_at: attempt.startedAt.toISOString(),
    url: attempt.url,
    request_headers: attempt.requestHeaders,
    response_status: attempt.status ?? null,
    response_headers: attempt.responseHeaders,
    response_body: attempt.responseBody,
    response_truncated: attempt.isTruncated,
    error_class: attempt.errorClass ?? null,
    error_message: attempt.errorMessage,
    remote_address: attempt.remoteAddress,
    connect_ms: roundedMs(attempt.connectMs),
    first_byte_ms: roundedMs(attempt.firstByteMs),
    total_ms: roundedMs(attempt.totalMs),
  };
}

function roundedMs(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms);
}

/**
 * A delivery that was cancelled while its request was under way stays cancelled, unless the receiver has taken it. Likewise what another worker has recorded of
 * the same attempt: it had the lane since, and this one stood still for longer than its lease.
 */
function updateDeliveries(records: AttemptRecord[]): Statement {
  return {
    name: 'update-deliveries',
    text: `update webhook_deliveries d set
             attempts = greatest(d.attempts, r.attempts), last_attempt_at = coalesce(r.at, d.last_attempt_at),
             last_response_status = r.response_status, last_error = r.error,
             status = case when d.status = 'cancelled' and r.status <> 'succeeded' then d.status else r.status end,
             next_attempt_at = case when d.status <> 'cancelled' then now() + r.retry_in_ms * interval '1 ms' end,
             completed_at = case when d.status = 'cancelled' then d.completed_at when r.retry_in_ms is null then now() end
           from ${recordset(
             'tenant_id uuid, id uuid, attempts smallint, at timestamptz, response_status smallint, error text, status text, retry_in_ms bigint',
           )}
           where d.tenant_id = r.tenant_id and d.id = r.id
             and case when r.status = 'succeeded' then d.status <> 'succeeded'
                      else d.attempts < r.attempts or (r.at is null and d.next_attempt_at is not null) end`,
    values: [
      JSON.stringify(
        records.map(({ tenantId, deliveryId, number, attempt, decision }) => ({
          tenant_id: tenantId,
          id: deliveryId,
          attempts: number,
          at: attempt?.startedAt.toISOString(),
          response_status: attempt?.status ?? null,
          error: decision.errorClass,
          status: decision.status,
          retry_in_ms: decision.retryInMs,
        })),
      ),
    ],
  };
}

const LANE_COLUMNS = `tenant_id uuid, endpoint_id uuid, owner uuid, consecutive_failures integer, failing_since timestamptz,
  last_success_at timestamptz, last_failure_at timestamptz, last_error text, opened integer, open_until timestamptz,
  throttled_until timestamptz, is_slow boolean, stop_reason text, exhausted_count integer, last_exhausted_id uuid`;

/** Whoever holds the lane alone says how it is. */
function updateLanes(lanes: LaneRecord[]): Statement {
  return {
    name: 'update-lanes',
    text: `with told as (
             select l.tenant_id as tenant, l.endpoint_id as endpoint, r.*
             from ${recordset(LANE_COLUMNS)} join webhook_lanes l on l.tenant_id = r.tenant_id and l.endpoint_id = r.endpoint_id
             where l.owner = r.owner order by l.tenant_id, l.endpoint_id for update of l
           )
           update webhook_lanes l set consecutive_failures = t.consecutive_failures, failing_since = t.failing_since,
             last_success_at = t.last_success_at, last_failure_at = t.last_failure_at, last_error = t.last_error, opened = t.opened,
             open_until = t.open_until, throttled_until = t.throttled_until, is_slow = t.is_slow, stop_reason = t.stop_reason,
             exhausted_count = t.exhausted_count, last_exhausted_id = t.last_exhausted_id
           from told t where l.tenant_id = t.tenant and l.endpoint_id = t.endpoint`,
    values: [JSON.stringify(lanes.map(laneRow))],
  };
}

function laneRow({ tenantId, endpointId, owner, health }: LaneRecord) {
  return {
    tenant_id: tenantId,
    endpoint_id: endpointId,
    owner,
    consecutive_failures: health.consecutiveFailures,
    failing_since: isoOf(health.failingSince),
    last_success_at: isoOf(health.lastSuccessAt),
    last_failure_at: isoOf(health.lastFailureAt),
    last_error: health.lastError,
    opened: health.opened,
    open_until: isoOf(health.openUntil),
    throttled_until: isoOf(health.throttledUntil),
    is_slow: health.isSlow,
    stop_reason: health.stopReason,
    exhausted_count: health.exhaustedCount,
    last_exhausted_id: health.lastExhaustedId,
  };
}

function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
