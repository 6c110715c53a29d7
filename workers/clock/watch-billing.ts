import type { Runtime } from '../../shared/platform/process/runtime.js';
import { openWritesQueue, type WritesQueue } from '../../shared/queues/writes.js';
import { findSuggestionsOfClosedInvoices } from '../../shared/resources/suggestions/closed-invoices-sweep.js';
import { findChangedTenants, scanTenant } from '../../shared/resources/suggestions/scan/scan-tenant.js';
import { enqueueCommands } from '../sweeps/enqueue-commands.js';
import type { Task } from '../sweeps/schedule.js';
import { DEFAULT_ROWS_PER_PASS, sweepTenantSet, TENANTS_PER_PASS } from '../sweeps/sweep-tenants.js';

/**
 * Maximum duration of a pass. A longer pass would delay the clock's other tasks. The next pass
 * continues with the next tenants.
 */
const PASS_BUDGET_MS = 5_000;

export const billingTask: Task = {
  name: 'watch-billing',
  everyMs: 30_000,
  prepare: (runtime) => createBillingWatch(runtime, openWritesQueue(runtime)),
};

interface Pass extends Record<string, unknown> {
  scannedInvoices: number;
  suggested: number;
  isUnfinished?: boolean;
}

/**
 * Returns a function that runs one pass. A pass scans each tenant's changes since the last scan for
 * missed revenue, and submits the suggestions as commands. A pass reads committed rows without
 * locking them, so it never blocks a write.
 */
export function createBillingWatch(runtime: Runtime, writes: WritesQueue): () => Promise<Pass> {
  // Index of the next chunk of tenants. If every pass began at the first chunk, the last chunk
  // might never be scanned.
  let nextChunk = 0;
  return async () => {
    const endAt = performance.now() + PASS_BUDGET_MS;
    const tenants = await runtime.db.listTenantIds();
    const chunks = Math.ceil(tenants.length / TENANTS_PER_PASS);
    let [scannedInvoices, suggested] = [0, 0];
    for (let count = 0; count < chunks; count += 1) {
      const start = (nextChunk % chunks) * TENANTS_PER_PASS;
      nextChunk = (nextChunk + 1) % chunks;
      const changed = await findChanged(runtime, writes, tenants.slice(start, start + TENANTS_PER_PASS));
      for (const tenantId of changed) {
        if (performance.now() > endAt)
          return { scannedInvoices: scannedInvoices, suggested, isUnfinished: true };
        const done = await scanAllChanges(runtime, { writes, tenantId, endAt });
        scannedInvoices += done.scannedInvoices;
        suggested += done.suggested;
      }
    }
    return { scannedInvoices: scannedInvoices, suggested };
  };
}

/**
 * Submits commands that expire the suggestions of closed invoices. Returns the tenants with changes
 * to scan.
 */
async function findChanged(
  runtime: Runtime,
  writes: WritesQueue,
  tenantIds: readonly string[],
): Promise<string[]> {
  const changed: string[] = [];
  await sweepTenantSet(runtime, {
    task: 'watch-billing',
    tenantIds,
    work: async (tx) => {
      await enqueueCommands(writes, await findSuggestionsOfClosedInvoices(tx, DEFAULT_ROWS_PER_PASS));
      changed.push(...(await findChangedTenants(tx)));
    },
  });
  return changed;
}

async function scanAllChanges(
  runtime: Runtime,
  { writes, tenantId, endAt }: { writes: WritesQueue; tenantId: string; endAt: number },
): Promise<{ scannedInvoices: number; suggested: number }> {
  let [scannedInvoices, suggested] = [0, 0];
  for (let hasMore = true; hasMore && performance.now() < endAt; ) {
    // The scan sets `hasMore` to true if changes remain. It stays false if the sweep skips the
    // tenant after an error.
    hasMore = false;
    await sweepTenantSet(runtime, {
      task: 'look-at-changes',
      tenantIds: [tenantId],
      work: async (tx) => {
        const scan = await scanTenant(tx, tenantId);
        // Add the commands inside the transaction. If the queue is unreachable, the scan's progress
        // is then rolled back, and the next pass scans the changes again.
        await enqueueCommands(writes, scan.commands);
        ({ hasMore } = scan);
        scannedInvoices += scan.scannedInvoices;
        suggested += scan.commands.length;
      },
    });
  }
  return { scannedInvoices, suggested };
}
