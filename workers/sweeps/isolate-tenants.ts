import { isConnectionError } from '../../shared/platform/errors.js';
import type { Database, Transaction } from '../../shared/platform/postgres/database.js';
import { isQueueFailure } from '../../shared/queues/backend.js';

/** The work sees only these tenants' rows. After an error it runs again for parts of the set. */
export type SweepWork = (tx: Transaction) => Promise<void>;

/** Time limit of a query after a slow failure. One slow tenant of 500 costs 9 s instead of 45. */
export const HALF_SET_TIMEOUT_MS = 1_000;
/** After this time, a pass that found a failing tenant splits no set. The next pass continues. */
const SPLIT_BUDGET_MS = 10_000;

export interface TenantFailure {
  tenantId: string;
  error: unknown;
}

export interface IsolationResult {
  /** Number of tenants whose work was committed. */
  succeeded: number;
  failures: TenantFailure[];
  /** Sets that failed and were not split further. Some of their tenants did not cause the error. */
  unsplit: { tenantIds: readonly string[]; error: unknown }[];
}

/** Returns whether PostgreSQL or the queue is unreachable. No tenant's rows cause such an error. */
export function isStoreUnavailable(error: unknown): boolean {
  return isConnectionError(error) || isQueueFailure(error);
}

/** Limits the time of each later query in the transaction. A session's default is 5 s. */
export async function setQueryTimeout(tx: Transaction, timeoutMs: number): Promise<void> {
  await tx.query({
    name: 'set-statement-timeout',
    text: "select set_config('statement_timeout', $1, true)",
    values: [`${Math.round(timeoutMs)}`],
  });
}

interface TenantSet {
  tenantIds: readonly string[];
  /** Limit of each query; undefined: the default of the session. */
  timeoutMs?: number | undefined;
}

/**
 * Runs a sweep's work for these tenants. After an error the set is split in halves,
 * until each failing tenant is alone.
 * @throws when PostgreSQL or the queue is unreachable
 */
export async function isolateFailingTenants(
  db: Database,
  whole: TenantSet,
  work: SweepWork,
): Promise<IsolationResult> {
  const isolation: IsolationResult = { succeeded: 0, failures: [], unsplit: [] };
  const endAt = performance.now() + SPLIT_BUDGET_MS;
  const sets = whole.tenantIds.length > 0 ? [whole] : [];
  // The first half runs first. A single failing tenant then takes as many steps as halvings.
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

/** Returns both halves. The last element runs first. */
function halve({ tenantIds, timeoutMs }: TenantSet, failedAfterMs: number): TenantSet[] {
  const middle = Math.ceil(tenantIds.length / 2);
  const wasSlow = failedAfterMs >= HALF_SET_TIMEOUT_MS;
  const nextTimeoutMs = wasSlow ? HALF_SET_TIMEOUT_MS : timeoutMs;
  return [
    { tenantIds: tenantIds.slice(middle), timeoutMs: nextTimeoutMs },
    { tenantIds: tenantIds.slice(0, middle), timeoutMs: nextTimeoutMs },
  ];
}
