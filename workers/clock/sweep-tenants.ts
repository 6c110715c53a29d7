import { isConnectionError } from '../../shared/platform/errors.js';
import type { Database, Transaction } from '../../shared/platform/postgres.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import { isQueueFailure } from '../../shared/queues/backend.js';
import { clearFault, findFaulty, recordFault } from '../../shared/resources/sweep-faults/store.js';

/** Tenants in one transaction. */
export const TENANTS_PER_PASS = 500;

/**
 * What a sweep does with some tenants, in a transaction that sees only these. It may run again for
 * fewer of them.
 */
export type SweepWork = (tx: Transaction) => Promise<void>;

type SweepRuntime = Pick<Runtime, 'db' | 'logger' | 'metrics'>;

/**
 * Runs a sweep over all tenants, some hundred at a time; see {@link sweepSome}.
 * @throws the last error that was no single tenant's fault, after the other tenants had their turn
 */
export async function sweepTenants(runtime: SweepRuntime, task: string, work: SweepWork): Promise<void> {
  const tenants = await runtime.db.tenantIds();
  let failure: { error: unknown } | undefined;
  for (let start = 0; start < tenants.length; start += TENANTS_PER_PASS) {
    const tenantIds = tenants.slice(start, start + TENANTS_PER_PASS);
    try {
      await sweepSome(runtime, { task, tenantIds, work });
    } catch (error) {
      if (isAway(error)) throw error;
      failure = { error };
    }
  }
  if (failure) throw failure.error;
}

/** True when PostgreSQL or the queue is away: nobody's rows are the cause. */
function isAway(error: unknown): boolean {
  return isConnectionError(error) || isQueueFailure(error);
}

interface Sweep {
  /** Names the sweep in the log, the metric and the recorded faults. */
  task: string;
  tenantIds: readonly string[];
  work: SweepWork;
}

/** A tenant that stands alone, and why it failed. */
interface Failure {
  tenantId: string;
  error: unknown;
}

/**
 * Runs a sweep over these tenants so that one tenant's fault stays its own. An error splits the
 * tenants in halves until the culprit stands alone; only that one is left out, and recorded.
 * The next passes try a recorded tenant alone, so a lasting fault costs one transaction per pass.
 * @throws when PostgreSQL or the queue is away, or all of several tenants fail: no tenant is to
 * blame
 */
export async function sweepSome(runtime: SweepRuntime, { task, tenantIds, work }: Sweep): Promise<void> {
  const { db } = runtime;
  const recorded = await findFaulty(db, { task, tenantIds });
  const sound = tenantIds.filter((tenantId) => !recorded.has(tenantId));
  const failures = await isolate(db, sound, work);
  for (const tenantId of recorded) failures.push(...(await isolate(db, [tenantId], work)));
  if (failures.length > 1 && failures.length === tenantIds.length) throw failures[0]?.error;
  const failed = new Set(failures.map(({ tenantId }) => tenantId));
  for (const failure of failures) await leaveOut(runtime, task, failure);
  for (const tenantId of recorded) if (!failed.has(tenantId)) await clearFault(db, { task, tenantId });
}

async function isolate(db: Database, tenantIds: readonly string[], work: SweepWork): Promise<Failure[]> {
  if (tenantIds.length === 0) return [];
  try {
    await db.transaction(tenantIds, work);
    return [];
  } catch (error) {
    if (isAway(error)) throw error;
    if (tenantIds.length === 1) return [{ tenantId: tenantIds[0] as string, error }];
    const middle = Math.ceil(tenantIds.length / 2);
    const first = await isolate(db, tenantIds.slice(0, middle), work);
    return [...first, ...(await isolate(db, tenantIds.slice(middle), work))];
  }
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
