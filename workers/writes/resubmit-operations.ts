import { leasePending, measurePending } from '../../shared/operations/pending.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { openWritesQueue, type WritesQueue } from '../../shared/queues/writes.js';
import { countInSets } from '../sweeps/count-in-sets.js';
import { enqueueCommands } from '../sweeps/enqueue-commands.js';
import type { Task } from '../sweeps/schedule.js';
import { DEFAULT_ROWS_PER_PASS, sweepTenants } from '../sweeps/sweep-tenants.js';

/**
 * A resubmitted operation is not resubmitted again during this time. BullMQ needs less time to
 * return a stalled job to the queue.
 */
const LEASE_SECONDS = 20;

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

/** Counts the pending operations and sets the gauges. */
async function updateGauges(runtime: Runtime): Promise<number | undefined> {
  const counts = await countInSets(runtime, 'pending operations', measurePending);
  if (!counts) return undefined;
  const pending = counts.reduce((sum, { count }) => sum + count, 0);
  const { metrics } = runtime;
  metrics.pendingOperations.set(pending);
  metrics.oldestPendingOperationSeconds.set(Math.max(0, ...counts.map((one) => one.oldest_seconds)));
  return pending;
}
