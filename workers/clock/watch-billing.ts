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
 *
 * Every tenant with changes gets one scan before any of them gets another one, also over several
 * passes. So a tenant with many changes does not delay the others.
 */
export function createBillingWatch(
  runtime: Runtime,
  writes: WritesQueue,
  { passBudgetMs = PASS_BUDGET_MS } = {},
): () => Promise<Pass> {
  // Index of the next chunk of tenants. If every pass began at the first chunk, the last chunk
  // might never be scanned.
  let nextChunk = 0;
  /** The tenants of the last chunk that still wait for their scan. */
  let waiting: string[] = [];
  return async () => {
    const endAt = performance.now() + passBudgetMs;
    const tenants = await runtime.db.listTenantIds();
    const chunks = Math.ceil(tenants.length / TENANTS_PER_PASS);
    const pass: Pass = { scannedInvoices: 0, suggested: 0 };
    /** The tenants with more changes, which get another scan if time is left. */
    const more: string[] = [];
    const scanNext = async (queue: string[]) => {
      for (let tenantId = queue.shift(); tenantId !== undefined; tenantId = queue.shift()) {
        const scan = await scanChanges(runtime, writes, tenantId);
        pass.scannedInvoices += scan.scannedInvoices;
        pass.suggested += scan.suggested;
        if (scan.hasMore) more.push(tenantId);
        if (performance.now() > endAt) return false;
      }
      return true;
    };
    for (let count = 0; count <= chunks; count += 1) {
      if (!(await scanNext(waiting))) return { ...pass, isUnfinished: true };
      if (count === chunks) break;
      const start = (nextChunk % chunks) * TENANTS_PER_PASS;
      nextChunk = (nextChunk + 1) % chunks;
      waiting = await findChanged(runtime, writes, tenants.slice(start, start + TENANTS_PER_PASS));
    }
    return (await scanNext(more)) ? pass : { ...pass, isUnfinished: true };
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

/** Runs one scan of a tenant's changes. */
async function scanChanges(
  runtime: Runtime,
  writes: WritesQueue,
  tenantId: string,
): Promise<{ scannedInvoices: number; suggested: number; hasMore: boolean }> {
  // The result stays so if the sweep skips the tenant after an error.
  let result = { scannedInvoices: 0, suggested: 0, hasMore: false };
  await sweepTenantSet(runtime, {
    task: 'look-at-changes',
    tenantIds: [tenantId],
    work: async (tx) => {
      const { scannedInvoices, commands, hasMore } = await scanTenant(tx, tenantId);
      // Add the commands inside the transaction. If the queue is unreachable, the scan's progress
      // is then rolled back, and the next pass scans the changes again.
      await enqueueCommands(writes, commands);
      result = { scannedInvoices, suggested: commands.length, hasMore };
    },
  });
  return result;
}
