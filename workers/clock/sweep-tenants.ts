import type { Runtime } from '../../shared/platform/runtime.js';
import { clearFault, findFaults, recordFault } from '../../shared/resources/sweep-faults/store.js';
import { type Failure, HALF_TIMEOUT_MS, isAway, isolate, type SweepWork } from './isolate-tenants.js';

/** Tenants in one transaction. */
export const TENANTS_PER_PASS = 500;
/**
 * What a sweep finds in one transaction, unless it says otherwise. No fewer than its tenants, so
 * that each of them has a turn.
 */
export const FOUND_PER_PASS = 512;

/**
 * A recorded tenant's statements may take a tenth of the time it has waited, within these bounds:
 * so it costs the clock a tenth of its time at most, and one that is merely large comes through.
 */
const RETRY_SHARE = 0.1;
const LONGEST_RETRY_MS = 5_000;
/** After this long a pass tries no further recorded tenants; those that wait longest come first. */
const RETRIES_MS = 5_000;

type SweepRuntime = Pick<Runtime, 'db' | 'logger' | 'metrics'>;

/** The tenants of each transaction of a sweep. */
export function splitTenants(tenantIds: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(tenantIds.length / TENANTS_PER_PASS) }, (_, index) =>
    tenantIds.slice(index * TENANTS_PER_PASS, (index + 1) * TENANTS_PER_PASS),
  );
}

/**
 * Runs a sweep over all tenants, some hundred at a time; see {@link sweepSome}.
 * @throws the last error that was no single tenant's fault, after the other tenants had their turn
 */
export async function sweepTenants(runtime: SweepRuntime, task: string, work: SweepWork): Promise<void> {
  let failure: { error: unknown } | undefined;
  for (const tenantIds of splitTenants(await runtime.db.tenantIds())) {
    try {
      await sweepSome(runtime, { task, tenantIds, work });
    } catch (error) {
      if (isAway(error)) throw error;
      failure = { error };
    }
  }
  if (failure) throw failure.error;
}

interface Sweep {
  /** Names the sweep in the log, the metric and the recorded faults. */
  task: string;
  tenantIds: readonly string[];
  work: SweepWork;
}

/**
 * Runs a sweep over these tenants so that one tenant's fault stays its own. An error splits the
 * tenants in halves until the culprit stands alone; only that one is left out, and recorded.
 * A recorded tenant is tried alone: in the next pass, and then after waits that double up to 15
 * minutes. Each try costs the clock one transaction, a slow one 1 s at first and 5 s at most.
 * @throws when PostgreSQL or the queue is away, or all of several tenants fail: no tenant is to
 * blame
 */
export async function sweepSome(runtime: SweepRuntime, { task, tenantIds, work }: Sweep): Promise<void> {
  const { db, logger } = runtime;
  const faults = await findFaults(db, { task, tenantIds });
  const recorded = new Set(faults.map(({ tenantId }) => tenantId));
  const sound = tenantIds.filter((tenantId) => !recorded.has(tenantId));
  const { succeeded, failures, unsplit } = await isolate(db, { tenantIds: sound }, work);
  const retries = await retryRecorded(runtime, faults, work);
  const mended = retries.filter(({ failure }) => !failure);
  const failed = [...failures, ...retries.flatMap(({ failure }) => failure ?? [])];
  const isWhole = tenantIds.length > 1 && retries.length === faults.length;
  if (isWhole && succeeded + mended.length === 0) throw failed[0]?.error;
  for (const failure of failed) await leaveOut(runtime, task, failure);
  for (const { tenantId } of mended) await clearFault(db, { task, tenantId });
  const [first] = unsplit;
  if (!first) return;
  const accounts = unsplit.flatMap((set) => set.tenantIds).length;
  logger.error(
    { err: first.error, task, accounts },
    'a sweep had no time to find the slow accounts of these',
  );
}

interface Retry {
  tenantId: string;
  failure: Failure | undefined;
}

/** Tries the recorded tenants whose wait is over, as many as there is time for. */
async function retryRecorded(
  { db }: SweepRuntime,
  faults: Awaited<ReturnType<typeof findFaults>>,
  work: SweepWork,
): Promise<Retry[]> {
  const endAt = performance.now() + RETRIES_MS;
  const retries: Retry[] = [];
  for (const { tenantId, isDue, waitedMs } of faults) {
    if (!isDue || performance.now() > endAt) continue;
    const timeoutMs = Math.min(Math.max(HALF_TIMEOUT_MS, waitedMs * RETRY_SHARE), LONGEST_RETRY_MS);
    const { failures } = await isolate(db, { tenantIds: [tenantId], timeoutMs }, work);
    retries.push({ tenantId, failure: failures[0] });
  }
  return retries;
}

async function leaveOut(
  { db, logger, metrics }: SweepRuntime,
  task: string,
  { tenantId, error }: Failure,
): Promise<void> {
  metrics.sweepFaults.inc({ task });
  const isNews = await recordFault(db, { task, tenantId, error });
  // A lasting fault is logged once an hour, or it would fill the log.
  if (isNews) logger.error({ err: error, task, tenant: tenantId }, 'a sweep left out one account');
}
