import type { Runtime } from '../../shared/platform/runtime.js';
import type { WritesQueue } from '../../shared/queues/writes.js';
import { countPending, leasePending } from '../../shared/resources/operations/pending.js';
import { enqueueCommands } from './enqueue-commands.js';
import { setStatementTimeout } from './isolate-tenants.js';
import { FOUND_PER_PASS, splitTenants, sweepTenants } from './sweep-tenants.js';

/**
 * A re-submitted operation gets this long before it is submitted again: longer than a stalled job
 * needs to come back.
 */
const LEASE_SECONDS = 20;
/** For the count alone: the clock has other work. In ms. */
const COUNT_TIMEOUT_MS = 1_000;

/**
 * Gives pending operations back to the queue: those whose job was lost, or never taken. One that
 * has run meanwhile is a no-op.
 */
export async function resubmitOperations(
  runtime: Runtime,
  writes: WritesQueue,
): Promise<Record<string, unknown>> {
  let resubmitted = 0;
  await sweepTenants(runtime, 'resubmit-operations', async (tx) => {
    const commands = await leasePending(tx, { leaseSeconds: LEASE_SECONDS, limit: FOUND_PER_PASS });
    // Inside the transaction: should the queue be away, the lease is not taken and the next tick
    // tries again.
    await enqueueCommands(writes, commands);
    resubmitted += commands.length;
  });
  const pending = await measurePending(runtime);
  if (resubmitted > 0) runtime.logger.info({ resubmitted, pending }, 'operations given back to the queue');
  return { resubmitted, pending };
}

/**
 * Sets the gauge. Counting has transactions of its own: a failed count must not undo the leases of
 * commands that are on the queue already. The gauge then keeps its last figure.
 */
async function measurePending({ db, logger, metrics }: Runtime): Promise<number | undefined> {
  try {
    let pending = 0;
    for (const tenantIds of splitTenants(await db.tenantIds())) {
      pending += await db.transaction(tenantIds, async (tx) => {
        await setStatementTimeout(tx, COUNT_TIMEOUT_MS);
        return countPending(tx);
      });
    }
    metrics.pendingOperations.set(pending);
    return pending;
  } catch (error) {
    logger.warn({ err: error }, 'pending operations were not counted');
    return undefined;
  }
}
