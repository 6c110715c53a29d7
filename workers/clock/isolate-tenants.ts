import { isConnectionError } from '../../shared/platform/errors.js';
import type { Database, Transaction } from '../../shared/platform/postgres.js';
import { isQueueFailure } from '../../shared/queues/backend.js';

/**
 * What a sweep does with some tenants, in a transaction that sees only these. It may run again for
 * fewer of them.
 */
export type SweepWork = (tx: Transaction) => Promise<void>;

/**
 * A statement may take this long for half of a set that was slow to fail. All halves that hold one
 * slow tenant of 500 then take nine seconds, and not 45. In ms.
 */
export const HALF_TIMEOUT_MS = 1_000;
/**
 * Once a culprit is found, no set is split after this long: with many slow tenants, each pass finds
 * some of them. In ms.
 */
const SPLIT_MS = 10_000;

/** A tenant that stands alone, and why it failed. */
export interface Failure {
  tenantId: string;
  error: unknown;
}

/** What came of running a sweep's work for some tenants. */
export interface Isolation {
  /** Tenants whose part was committed. */
  succeeded: number;
  failures: Failure[];
  /** Sets that failed and were not split any more: some of them are not to blame. */
  unsplit: { tenantIds: readonly string[]; error: unknown }[];
}

/** True when PostgreSQL or the queue is away: nobody's rows are the cause. */
export function isAway(error: unknown): boolean {
  return isConnectionError(error) || isQueueFailure(error);
}

/** Bounds the statements that follow in a transaction. Every session has 5 s otherwise. */
export async function setStatementTimeout(tx: Transaction, timeoutMs: number): Promise<void> {
  await tx.query({
    name: 'set-statement-timeout',
    text: "select set_config('statement_timeout', $1, true)",
    values: [`${Math.round(timeoutMs)}`],
  });
}

interface TenantSet {
  tenantIds: readonly string[];
  /** For each statement; undefined: what every session has. */
  timeoutMs?: number | undefined;
}

/**
 * Runs a sweep's work for these tenants. An error splits them in halves until the culprit stands
 * alone.
 * @throws when PostgreSQL or the queue is away
 */
export async function isolate(db: Database, whole: TenantSet, work: SweepWork): Promise<Isolation> {
  const isolation: Isolation = { succeeded: 0, failures: [], unsplit: [] };
  const endAt = performance.now() + SPLIT_MS;
  const sets = whole.tenantIds.length > 0 ? [whole] : [];
  // The first half before the second: a single culprit is found in as many steps as there are
  // halvings.
  for (let set = sets.pop(); set; set = sets.pop()) {
    const startedAt = performance.now();
    try {
      await runSet(db, set, work);
      isolation.succeeded += set.tenantIds.length;
    } catch (error) {
      if (isAway(error)) throw error;
      const [tenantId = ''] = set.tenantIds;
      const isOver = performance.now() > endAt && isolation.failures.length > 0;
      if (set.tenantIds.length === 1) isolation.failures.push({ tenantId, error });
      else if (isOver) isolation.unsplit.push({ tenantIds: set.tenantIds, error });
      else sets.push(...halve(set, performance.now() - startedAt));
    }
  }
  return isolation;
}

function runSet(db: Database, { tenantIds, timeoutMs }: TenantSet, work: SweepWork): Promise<void> {
  return db.transaction(tenantIds, async (tx) => {
    if (timeoutMs !== undefined) await setStatementTimeout(tx, timeoutMs);
    await work(tx);
  });
}

/** Both halves, the one to try first at the end. */
function halve({ tenantIds, timeoutMs }: TenantSet, failedAfterMs: number): TenantSet[] {
  const middle = Math.ceil(tenantIds.length / 2);
  const wasSlow = failedAfterMs >= HALF_TIMEOUT_MS;
  const next = wasSlow ? HALF_TIMEOUT_MS : timeoutMs;
  return [
    { tenantIds: tenantIds.slice(middle), timeoutMs: next },
    { tenantIds: tenantIds.slice(0, middle), timeoutMs: next },
  ];
}
