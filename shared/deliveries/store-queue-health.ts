import type { SqlQuery } from '../platform/postgres/database.js';
import type { EndpointQueueRef } from '../queues/webhooks.js';
import { recordsetSql } from '../records/record-refs.js';
import type { EndpointQueueHealth } from './queue-health.js';

export interface EndpointQueueState extends EndpointQueueRef {
  owner: string;
  health: EndpointQueueHealth;
}

const STATE_COLUMNS = `tenant_id uuid, endpoint_id uuid, owner uuid, consecutive_failures integer, failing_since timestamptz,
  last_success_at timestamptz, last_failure_at timestamptz, last_error text, opened integer, open_until timestamptz,
  throttled_until timestamptz, is_slow boolean, stop_reason text, exhausted_count integer, last_exhausted_id uuid`;

/**
 * Builds the query that stores the health of endpoint queues. It skips each queue whose lease this
 * worker has lost.
 */
export function buildHealthUpdate(states: EndpointQueueState[]): SqlQuery {
  return {
    name: 'update-lanes',
    text: `with held as (
             select l.tenant_id as tenant, l.endpoint_id as endpoint, r.*
             from ${recordsetSql(STATE_COLUMNS)} join webhook_lanes l on l.tenant_id = r.tenant_id and l.endpoint_id = r.endpoint_id
             where l.owner = r.owner order by l.tenant_id, l.endpoint_id for update of l
           )
           update webhook_lanes l set consecutive_failures = t.consecutive_failures, failing_since = t.failing_since,
             last_success_at = t.last_success_at, last_failure_at = t.last_failure_at, last_error = t.last_error, opened = t.opened,
             open_until = t.open_until, throttled_until = t.throttled_until, is_slow = t.is_slow, stop_reason = t.stop_reason,
             exhausted_count = t.exhausted_count, last_exhausted_id = t.last_exhausted_id
           from held t where l.tenant_id = t.tenant and l.endpoint_id = t.endpoint`,
    values: [JSON.stringify(states.map(buildStateRow))],
  };
}

function buildStateRow({ tenantId, endpointId, owner, health }: EndpointQueueState) {
  return {
    tenant_id: tenantId,
    endpoint_id: endpointId,
    owner,
    consecutive_failures: health.consecutiveFailures,
    failing_since: toIsoTime(health.failingSince),
    last_success_at: toIsoTime(health.lastSuccessAt),
    last_failure_at: toIsoTime(health.lastFailureAt),
    last_error: health.lastError,
    opened: health.openCount,
    open_until: toIsoTime(health.openUntil),
    throttled_until: toIsoTime(health.throttledUntil),
    is_slow: health.isSlow,
    stop_reason: health.stopReason,
    exhausted_count: health.exhaustedCount,
    last_exhausted_id: health.lastExhaustedId,
  };
}

function toIsoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
