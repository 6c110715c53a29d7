import type { Runtime } from '../../shared/platform/runtime.js';
import type { WritesQueue } from '../../shared/queues/writes.js';
import { findSettled } from '../../shared/resources/suggestions/settled-sweep.js';
import { findChangedTenants, lookAtTenant } from '../../shared/resources/suggestions/watch.js';
import { enqueueCommands } from './enqueue-commands.js';
import { FOUND_PER_PASS, sweepSome, TENANTS_PER_PASS } from './sweep-tenants.js';

/** The clock has other work: a pass ends after this long, and the next one goes on. In ms. */
const PASS_MS = 5_000;

/** What a pass came to. */
interface Pass extends Record<string, unknown> {
  looked: number;
  suggested: number;
  isUnfinished?: boolean;
}

/**
 * A watch, each call of which is a pass. It looks for money left behind, in what each tenant changed since the last look; the writes workers record what is
 * found. Nothing of it is in the way of a write: it reads committed rows, and locks none of them.
 */
export function createBillingWatch(runtime: Runtime, writes: WritesQueue): () => Promise<Pass> {
  // Where the next tenants are: were every pass to begin with the first ones, the last would never have their turn.
  let nextChunk = 0;
  return async () => {
    const endAt = performance.now() + PASS_MS;
    const tenants = await runtime.db.tenantIds();
    const chunks = Math.ceil(tenants.length / TENANTS_PER_PASS);
    let [looked, suggested] = [0, 0];
    for (let count = 0; count < chunks; count += 1) {
      const start = (nextChunk % chunks) * TENANTS_PER_PASS;
      nextChunk = (nextChunk + 1) % chunks;
      const changed = await findChanged(runtime, writes, tenants.slice(start, start + TENANTS_PER_PASS));
      for (const tenantId of changed) {
        if (performance.now() > endAt) return { looked, suggested, isUnfinished: true };
        const done = await watchTenant(runtime, { writes, tenantId, endAt });
        looked += done.looked;
        suggested += done.suggested;
      }
    }
    return { looked, suggested };
  };
}

/** Ends the suggestions whose invoice is settled. @returns the tenants with something to look at */
async function findChanged(
  runtime: Runtime,
  writes: WritesQueue,
  tenantIds: readonly string[],
): Promise<string[]> {
  const changed: string[] = [];
  await sweepSome(runtime, {
    task: 'watch-billing',
    tenantIds,
    work: async (tx) => {
      await enqueueCommands(writes, await findSettled(tx, FOUND_PER_PASS));
      changed.push(...(await findChangedTenants(tx)));
    },
  });
  return changed;
}

async function watchTenant(
  runtime: Runtime,
  { writes, tenantId, endAt }: { writes: WritesQueue; tenantId: string; endAt: number },
): Promise<{ looked: number; suggested: number }> {
  let [looked, suggested] = [0, 0];
  for (let hasMore = true; hasMore && performance.now() < endAt; ) {
    // Stays false when the tenant is left out.
    hasMore = false;
    await sweepSome(runtime, {
      task: 'look-at-changes',
      tenantIds: [tenantId],
      work: async (tx) => {
        const look = await lookAtTenant(tx, tenantId);
        // Inside the transaction: should the queue be away, the look is not remembered and the next
        // tick tries again.
        await enqueueCommands(writes, look.commands);
        ({ hasMore } = look);
        looked += look.looked;
        suggested += look.commands.length;
      },
    });
  }
  return { looked, suggested };
}
