import { isConnectionError } from '../../shared/platform/errors.js';
import type { Database, Transaction } from '../../shared/platform/postgres/database.js';
import { isQueueFailure } from '../../shared/queues/backend.js';

/**
 * The work of a sweep in one transaction. The transaction sees only the rows of its tenants. After
 * an error, the work runs again for each half of the tenants.
 */
export type SweepWork = (tx: Transaction) => Promise<void>;

/**
 * Time limit in ms of each query, for the halves of a set that failed slowly. With this limit, one
 * slow tenant among 500 costs 9 s instead of 45 s.
 */
export const HALF_SET_TIMEOUT_MS = 1_000;
/**
 * After this time, a pass that has found a failing tenant does not split further sets. The next
 * pass continues.
 */
const SPLIT_BUDGET_MS = 10_000;

export interface TenantFailure {
  tenantId: string;
  error: unknown;
}

export interface IsolationResult {
  /** Number of tenants whose work was committed. */
  succeeded: number;
  failures: TenantFailure[];
  /** The sets that failed and were not split further. Some of their tenants may be healthy. */
  unsplit: { tenantIds: readonly string[]; error: unknown }[];
}

/**
 * True if PostgreSQL or the queue is unreachable. The error then does not come from a tenant's
 * rows.
 */
export function isStoreUnavailable(error: unknown): boolean {
  return isConnectionError(error) || isQueueFailure(error);
}

/** Limits the time of each later query in the transaction. By default, the limit is 5 s. */
export async function setQueryTimeout(tx: Transaction, timeoutMs: number): Promise<void> {
  await tx.query({
    name: 'set-statement-timeout',
    text: "select set_config('statement_timeout', $1, true)",
    values: [`${Math.round(timeoutMs)}`],
  });
}

interface TenantSet {
  tenantIds: readonly string[];
  /** Time limit of each query in ms; undefined for the session's default. */
  timeoutMs?: number | undefined;
}

/**
 * Runs a sweep's work for these tenants in one transaction. After an error, splits the set in
 * halves until each failing tenant is alone, or until the time is used up.
 * @throws if PostgreSQL or the queue is unreachable
 */
export async function isolateFailingTenants(
  db: Database,
  whole: TenantSet,
  work: SweepWork,
): Promise<IsolationResult> {
  const isolation: IsolationResult = { succeeded: 0, failures: [], unsplit: [] };
  const endAt = performance.now() + SPLIT_BUDGET_MS;
  const sets = whole.tenantIds.length > 0 ? [whole] : [];
  // `sets` is a stack. So the first half of a failed set runs next.
  for (let set = sets.pop(); set; set = sets.pop()) {
    const startedAt = performance.now();
    try {
      await runSet(db, set, work);
      isolation.succeeded += set.tenantIds.length;
    } catch (error) {
      if (isStoreUnavailable(error)) throw error;
      const [tenantId = ''] = set.tenantIds;
      const isTimeUp = performance.now() > endAt && isolation.failures.length > 0;
      if (set.tenantIds.length === 1) isolation.failures.push({ tenantId, error });
      else if (isTimeUp) isolation.unsplit.push({ tenantIds: set.tenantIds, error });
      else sets.push(...halve(set, performance.now() - startedAt));
    }
  }
  return isolation;
}

function runSet(db: Database, { tenantIds, timeoutMs }: TenantSet, work: SweepWork): Promise<void> {
  return db.transaction(tenantIds, async (tx) => {
    if (timeoutMs !== undefined) await setQueryTimeout(tx, timeoutMs);
    await work(tx);
  });
}

/**
 * Returns the halves of a set. The first half comes last, because the caller takes sets from the
 * end.
 */
function halve({ tenantIds, timeoutMs }: TenantSet, failedAfterMs: number): TenantSet[] {
  const middle = Math.ceil(tenantIds.length / 2);
  const wasSlow = failedAfterMs >= HALF_SET_TIMEOUT_MS;
  const nextTimeoutMs = wasSlow ? HALF_SET_TIMEOUT_MS : timeoutMs;
  return [
    { tenantIds: tenantIds.slice(middle), timeoutMs: nextTimeoutMs },
    { tenantIds: tenantIds.slice(0, middle), timeoutMs: nextTimeoutMs },
  ];
}
