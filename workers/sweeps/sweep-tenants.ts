import type { Runtime } from '../../shared/platform/process/runtime.js';
import {
  clearSweepFailure,
  findSweepFailures,
  recordSweepFailure,
} from '../../shared/records/sweeps/sweep-failures.js';
import {
  HALF_SET_TIMEOUT_MS,
  isolateFailingTenants,
  isStoreUnavailable,
  type SweepWork,
  type TenantFailure,
} from './isolate-tenants.js';

/** Maximum number of tenants in one transaction. */
export const TENANTS_PER_PASS = 500;
/**
 * Default maximum of rows in one transaction. It is at least TENANTS_PER_PASS, so that round-robin
 * sharing reaches each tenant.
 */
export const DEFAULT_ROWS_PER_PASS = 512;

/**
 * A pass tries a tenant with a recorded failure again, with a time limit for each query. The limit
 * is this share of the tenant's wait since the last try, at least {@link HALF_SET_TIMEOUT_MS} and
 * at most MAX_RETRY_TIMEOUT_MS. So a failing tenant takes little of the clock's time. The waits
 * double, so the limit grows. A healthy tenant with many rows succeeds once the limit is long
 * enough.
 */
const RETRY_SHARE = 0.1;
const MAX_RETRY_TIMEOUT_MS = 5_000;
/**
 * After this time, a pass starts no further retries. The tenants with the longest waits come first.
 */
const RETRIES_BUDGET_MS = 5_000;

type SweepRuntime = Pick<Runtime, 'db' | 'logger' | 'metrics'>;

export function splitTenants(tenantIds: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(tenantIds.length / TENANTS_PER_PASS) }, (_, index) =>
    tenantIds.slice(index * TENANTS_PER_PASS, (index + 1) * TENANTS_PER_PASS),
  );
}

/**
 * Runs a sweep over all tenants, set by set; see {@link sweepTenantSet}.
 * @throws in the same cases as {@link sweepSets}
 */
export async function sweepTenants(runtime: SweepRuntime, task: string, work: SweepWork): Promise<void> {
  const sets = splitTenants(await runtime.db.listTenantIds());
  await sweepSets(sets, (tenantIds) => sweepTenantSet(runtime, { task, tenantIds, work }));
}

/**
 * Sweeps sets of tenants one after the other.
 * @throws immediately if PostgreSQL or the queue is unreachable. If whole sets fail, throws the
 *   last error after all sets have run
 */
export async function sweepSets(
  sets: readonly string[][],
  sweepSet: (tenantIds: readonly string[]) => Promise<void>,
): Promise<void> {
  let failure: { error: unknown } | undefined;
  for (const tenantIds of sets) {
    try {
      await sweepSet(tenantIds);
    } catch (error) {
      if (isStoreUnavailable(error)) throw error;
      failure = { error };
    }
  }
  if (failure) throw failure.error;
}

interface Sweep {
  /** Name of the sweep in the log, the metric and the recorded failures. */
  task: string;
  tenantIds: readonly string[];
  work: SweepWork;
}

/**
 * Runs a sweep so that one failing tenant does not stop the others. After an error, splits the set
 * in halves until the failing tenant is alone. Skips that tenant and records its failure. Later
 * passes try a recorded tenant alone: first in the next pass, then after waits that double up to 15
 * minutes. Each query of such a try may take 1 s at first, and up to 5 s later.
 * @throws if PostgreSQL or the queue is unreachable. Also throws if every tenant of a set with
 *   several tenants fails, because no single tenant is then the cause
 */
export async function sweepTenantSet(runtime: SweepRuntime, { task, tenantIds, work }: Sweep): Promise<void> {
  const { db, logger } = runtime;
  const recordedFailures = await findSweepFailures(db, { task, tenantIds });
  const recorded = new Set(recordedFailures.map(({ tenantId }) => tenantId));
  const healthy = tenantIds.filter((tenantId) => !recorded.has(tenantId));
  const { succeeded, failures, unsplit } = await isolateFailingTenants(db, { tenantIds: healthy }, work);
  const retries = await retryRecorded(runtime, recordedFailures, work);
  const recovered = retries.filter(({ failure }) => !failure);
  const failed = [...failures, ...retries.flatMap(({ failure }) => failure ?? [])];
  const areAllTried = tenantIds.length > 1 && retries.length === recordedFailures.length;
  if (areAllTried && succeeded + recovered.length === 0) throw failed[0]?.error;
  for (const failure of failed) await recordSkippedTenant(runtime, task, failure);
  for (const { tenantId } of recovered) await clearSweepFailure(db, { task, tenantId });
  const [first] = unsplit;
  if (!first) return;
  const accounts = unsplit.flatMap((set) => set.tenantIds).length;
  logger.error(
    { err: first.error, task, accounts },
    'a sweep skipped accounts: no time was left to find which of them fail',
  );
}

interface Retry {
  tenantId: string;
  failure: TenantFailure | undefined;
}

async function retryRecorded(
  { db }: SweepRuntime,
  recordedFailures: Awaited<ReturnType<typeof findSweepFailures>>,
  work: SweepWork,
): Promise<Retry[]> {
  const endAt = performance.now() + RETRIES_BUDGET_MS;
  const retries: Retry[] = [];
  for (const { tenantId, isDue, waitedMs } of recordedFailures) {
    if (!isDue || performance.now() > endAt) continue;
    const timeoutMs = Math.min(Math.max(HALF_SET_TIMEOUT_MS, waitedMs * RETRY_SHARE), MAX_RETRY_TIMEOUT_MS);
    const { failures } = await isolateFailingTenants(db, { tenantIds: [tenantId], timeoutMs }, work);
    retries.push({ tenantId, failure: failures[0] });
  }
  return retries;
}

async function recordSkippedTenant(
  { db, logger, metrics }: SweepRuntime,
  task: string,
  { tenantId, error }: TenantFailure,
): Promise<void> {
  metrics.sweepFaults.inc({ task });
  const shouldLog = await recordSweepFailure(db, { task, tenantId, error });
  // Log a lasting failure only once an hour, so that the failure does not flood the log.
  if (shouldLog)
    logger.error({ err: error, task, tenant: tenantId }, 'a sweep skipped an account that failed');
}
