import type { Transaction } from '../platform/postgres/database.js';
import { parseColumnNames, type RecordRef, recordsetSql } from '../records/record-refs.js';

/**
 * The part of an endpoint's health that commands store. Only commands write these columns, except
 * `stop_reason`, which the delivery workers write too.
 */
export interface HealthProgress extends RecordRef {
  stop_reason: 'gone' | 'receiver' | null;
  exhausted_told_count: number;
  exhausted_told_at: string | null;
  warned_hours: number;
  probe_after: string | null;
  probes: number;
}

const PROGRESS_COLUMNS = `stop_reason text, exhausted_told_count integer, exhausted_told_at timestamptz, warned_hours integer, probe_after timestamptz, probes integer`;
const PROGRESS_NAMES = parseColumnNames(PROGRESS_COLUMNS);

/**
 * Stores {@link HealthProgress}. Does not change the columns that only the delivery workers write.
 */
export async function storeHealthProgress(
  tx: Transaction,
  endpoints: readonly HealthProgress[],
): Promise<void> {
  if (endpoints.length === 0) return;
  await tx.query({
    name: 'store-told-lanes',
    text: `update webhook_lanes t set ${PROGRESS_NAMES.map((name) => `${name} = r.${name}`).join(', ')}
           from ${recordsetSql(`tenant_id uuid, id uuid, ${PROGRESS_COLUMNS}`)} where t.tenant_id = r.tenant_id and t.endpoint_id = r.id`,
    values: [JSON.stringify(endpoints)],
  });
}

/**
 * Clears an endpoint's failures, its pauses and its probes, because an endpoint that is enabled
 * again starts afresh.
 */
export async function resetEndpointHealth(tx: Transaction, refs: readonly RecordRef[]): Promise<void> {
  if (refs.length === 0) return;
  await tx.query({
    name: 'reset-webhook-lanes',
    text: `update webhook_lanes t set failing_since = null, consecutive_failures = 0, opened = 0, open_until = null, throttled_until = null,
             stop_reason = null, warned_hours = 0, probe_after = null, probes = 0
           from ${recordsetSql('tenant_id uuid, id uuid')} where t.tenant_id = r.tenant_id and t.endpoint_id = r.id`,
    values: [JSON.stringify(refs)],
  });
}
