import type { HealthProgress } from '../../../deliveries/store-health-progress.js';
import type { Row, Transaction } from '../../../platform/postgres/database.js';
import { lockRecords, nextUpdatedAtSql } from '../../../records/lock-records.js';
import { type RecordRef, recordsetSql, refKey } from '../../../records/record-refs.js';
import { type HealthStep, IS_EXHAUSTED_NOTICE_DUE_SQL, NEXT_STEP_SQL, REACHED_HOURS_SQL } from './rules.js';

/**
 * An endpoint with the health of its endpoint queue. The transaction has locked the endpoint's row
 * and the queue's row.
 */
export interface WatchedEndpoint extends HealthProgress {
  url: string;
  enabled: boolean;
  disabled_reason: string | null;
  disabled_at: string | null;
  failing_since: string | null;
  last_success_at: string | null;
  last_error: string | null;
  exhausted_count: number;
  /**
   * The last delivery that used all its attempts; null if there is none, or its row was dropped.
   */
  last_exhausted_id: string | null;
  /** The step that is due as of `now`. */
  step: HealthStep | null;
  tells_exhausted: boolean;
  reached_hours: number | null;
  /** The time by PostgreSQL's clock, which also sets the times in the endpoint queue. */
  now: string;
}

/**
 * Locks endpoints, and then their rows in webhook_lanes, in the same sequence as all other
 * transactions. An endpoint without such a row is missing from the result.
 */
export async function lockWatchedEndpoints(
  tx: Transaction,
  refs: RecordRef[],
): Promise<Map<string, WatchedEndpoint>> {
  const [, rows] = await Promise.all([
    lockRecords<Row>(tx, 'webhook_endpoints', refs),
    tx.query<{ record: WatchedEndpoint }>({
      name: 'lock-webhook-lanes',
      text: `select to_jsonb(l) || jsonb_build_object('id', e.id, 'url', e.url, 'enabled', e.enabled, 'disabled_reason', e.disabled_reason,
               'disabled_at', e.disabled_at, 'step', ${NEXT_STEP_SQL}, 'tells_exhausted', ${IS_EXHAUSTED_NOTICE_DUE_SQL}, 'reached_hours', ${REACHED_HOURS_SQL},
               'now', now(), 'last_exhausted_id',
               (select d.id from webhook_deliveries d where d.tenant_id = l.tenant_id and d.id = l.last_exhausted_id)) as record
             from ${recordsetSql('tenant_id uuid, id uuid')}
             join webhook_endpoints e on e.tenant_id = r.tenant_id and e.id = r.id
             join webhook_lanes l on l.tenant_id = e.tenant_id and l.endpoint_id = e.id
             order by l.tenant_id, l.endpoint_id for update of l`,
      values: [JSON.stringify(refs)],
    }),
  ]);
  return new Map(rows.map(({ record }) => [refKey(record), record]));
}

/**
 * Stores whether endpoints are enabled. For a disabled endpoint, also stores the reason and the
 * time.
 */
export async function storeEnabledState(tx: Transaction, rows: readonly WatchedEndpoint[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'store-endpoints-enabled',
    text: `update webhook_endpoints t set enabled = r.enabled, disabled_reason = r.disabled_reason, disabled_at = r.disabled_at,
             updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid, enabled boolean, disabled_reason text, disabled_at timestamptz')}
           where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}
