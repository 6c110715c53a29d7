import { leasePending, measurePending } from '../../shared/operations/pending.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { openWritesQueue, type WritesQueue } from '../../shared/queues/writes.js';
import { enqueueCommands } from '../sweeps/enqueue-commands.js';
import { setQueryTimeout } from '../sweeps/isolate-tenants.js';
import type { Task } from '../sweeps/schedule.js';
import { DEFAULT_ROWS_PER_PASS, splitTenants, sweepTenants } from '../sweeps/sweep-tenants.js';

/**
 * A resubmitted operation is not resubmitted again during this time. BullMQ needs less time to
 * return a stalled job to the queue.
 */
const LEASE_SECONDS = 20;
/** Time limit in ms of each counting query. A longer count would delay the clock's other tasks. */
const COUNT_TIMEOUT_MS = 1_000;

export const operationTask: Task = {
  name: 'resubmit-operations',
  everyMs: 5_000,
  prepare: (runtime) => {
    const writes = openWritesQueue(runtime);
    return () => resubmitOperations(runtime, writes);
  },
};

/**
 * Adds pending operations to the queue again. Their jobs may have been lost or never added. If a
 * command has already run, running it again changes nothing.
 */
async function resubmitOperations(runtime: Runtime, writes: WritesQueue): Promise<Record<string, unknown>> {
  let resubmitted = 0;
  await sweepTenants(runtime, operationTask.name, async (tx) => {
    const commands = await leasePending(tx, { leaseSeconds: LEASE_SECONDS, limit: DEFAULT_ROWS_PER_PASS });
    // Add the jobs inside the transaction. If the queue is unreachable, the leases are then rolled
    // back, and the next run tries again.
    await enqueueCommands(writes, commands);
    resubmitted += commands.length;
  });
  const pending = await updateGauges(runtime);
  if (resubmitted > 0) runtime.logger.info({ resubmitted, pending }, 'operations resubmitted to the queue');
  return { resubmitted, pending };
}

/**
 * Counts the pending operations and sets the gauges. Uses a transaction of its own. In the
 * transaction of the leases, a failed count would roll back the leases, although the commands are
 * already in the queue. After a failure, the gauges keep their last values.
 */
async function updateGauges({ db, logger, metrics }: Runtime): Promise<number | undefined> {
  try {
    let pending = 0;
    let oldestSeconds = 0;
    for (const tenantIds of splitTenants(await db.listTenantIds())) {
      const found = await db.transaction(tenantIds, async (tx) => {
        await setQueryTimeout(tx, COUNT_TIMEOUT_MS);
        return measurePending(tx);
      });
      pending += found.count;
      oldestSeconds = Math.max(oldestSeconds, found.oldest_seconds);
    }
    metrics.pendingOperations.set(pending);
    metrics.oldestPendingOperationSeconds.set(oldestSeconds);
    return pending;
  } catch (error) {
    logger.warn({ err: error }, 'could not count the pending operations');
    return undefined;
  }
}
