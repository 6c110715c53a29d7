import { describeError } from '../../platform/describe-error.js';
import type { Database } from '../../platform/postgres/database.js';
import { type ExpiryRule, RETENTION } from '../expiry.js';

/** A failure of a sweep for one account. The sweep skips the account until the next try is due. */
export interface SweepFailure {
  tenant_id: string;
  task: string;
  error: string;
  /** RFC 3339 time. */
  failed_since: string;
}

/**
 * A failure as the sweep reads it. `isDue` is true if the sweep should try the tenant again now.
 */
export interface RecordedSweepFailure {
  tenantId: string;
  /** Time since the last try, in ms. */
  waitedMs: number;
  isDue: boolean;
}

/**
 * The longest wait between two tries for a tenant. The waits double from try to try, up to this
 * limit. After the fault is fixed, the sweep includes the tenant again within this time.
 */
const LONGEST_WAIT = "interval '15 minutes'";

/** Finds the failures of these tenants. The tenant that has waited longest comes first. */
export async function findSweepFailures(
  db: Database,
  { task, tenantIds }: { task: string; tenantIds: readonly string[] },
): Promise<RecordedSweepFailure[]> {
  const rows = await db.transaction(tenantIds, (tx) =>
    tx.query<{ tenant_id: string; waited_ms: number; is_due: boolean }>({
      name: 'find-sweep-faults',
      text: `select f.tenant_id, (extract(epoch from now() - f.last_failed_at) * 1000)::float8 as waited_ms,
               f.last_failed_at + least(${LONGEST_WAIT}, f.last_failed_at - f.failed_since) <= now() as is_due
             from sweep_faults f
             where f.tenant_id = any (string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) and f.task = $1
             order by f.last_failed_at`,
      values: [task],
    }),
  );
  return rows.map(({ tenant_id: tenantId, waited_ms: waitedMs, is_due: isDue }) => ({
    tenantId,
    waitedMs,
    isDue,
  }));
}

/**
 * Records a failure.
 * @returns true if the failure should be logged now: it is new, or was last logged over an hour ago
 */
export async function recordSweepFailure(
  db: Database,
  { task, tenantId, error }: { task: string; tenantId: string; error: unknown },
): Promise<boolean> {
  const [row] = await db.transaction([tenantId], (tx) =>
    tx.query<{ is_news: boolean }>({
      name: 'record-sweep-fault',
      text: `insert into sweep_faults as f (tenant_id, task, error) values ($1, $2, $3)
             on conflict (tenant_id, task) do update set error = excluded.error, last_failed_at = now(),
               logged_at = case when f.logged_at < now() - interval '1 hour' then now() else f.logged_at end
             returning logged_at = now() as is_news`,
      values: [tenantId, task, describeError(error)],
    }),
  );
  return row?.is_news ?? true;
}

export async function clearSweepFailure(
  db: Database,
  { task, tenantId }: { task: string; tenantId: string },
): Promise<void> {
  await db.transaction([tenantId], (tx) =>
    tx.query({
      name: 'clear-sweep-fault',
      text: 'delete from sweep_faults where tenant_id = $1 and task = $2',
      values: [tenantId, task],
    }),
  );
}

/**
 * SQL that lists the current failures of the transaction's tenants, as {@link SweepFailure}. A
 * failing sweep updates its row with each try. Two tries are at most 15 minutes apart, or one pass
 * apart if passes are less frequent. A row older than two hours therefore means that the sweep's
 * work has ended, for example because a replay was cancelled.
 */
export const LIST_SWEEP_FAILURES = `select tenant_id, task, error, to_json(failed_since) #>> '{}' as failed_since from sweep_faults
  where tenant_id = any (string_to_array(current_setting('app.tenant_ids'), ',')::uuid[])
    and last_failed_at > now() - interval '2 hours' order by failed_since`;

/**
 * Expires failures after 24 hours without an update. A sweep that still fails updates its row far
 * more often.
 */
export const EXPIRED_SWEEP_FAILURES: ExpiryRule = {
  table: 'sweep_faults',
  condition: `o.last_failed_at < now() - ${RETENTION}`,
};
