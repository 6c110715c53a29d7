import type { Command } from '../../../shared/contracts/command.js';
import { findDueStorageAccruals } from '../../../shared/resources/impounds/storage-sweep.js';
import { runIsolated } from '../../../workers/writes/isolate-commands.js';
import type { TestStack } from '../stack.js';
import { createBatchContext } from '../writes/batch-context.js';

const DAY_MS = 86_400_000;

/** Returns noon UTC, `days` days before today. Use it for an account whose time zone is UTC. */
export function noonDaysAgo(days: number): string {
  return new Date((Math.floor(Date.now() / DAY_MS) - days + 0.5) * DAY_MS).toISOString();
}

/** Charges the storage of one tenant's impounds, as the clock and the writes workers do. */
export class StorageSweeps {
  constructor(
    readonly stack: TestStack,
    readonly tenantId: string,
  ) {}

  /**
   * Moves an impound's start `days` days back and sweeps `sweeps` times. Returns the commands that
   * each sweep would submit. All of this happens in one transaction, so that the stack's own clock
   * cannot charge the storage first.
   */
  sweepAfter(id: string, days: number, sweeps = 1): Promise<Command[][]> {
    return this.stack.runtime.db.transaction([this.tenantId], async (tx) => {
      await tx.query({
        text: `update impounds set impounded_at = impounded_at - make_interval(days => $3) where tenant_id = $1 and id = $2`,
        values: [this.tenantId, id, days],
      });
      return Promise.all(Array.from({ length: sweeps }, () => findDueStorageAccruals(tx, 100)));
    });
  }

  async accrue(commands: Command[]): Promise<void> {
    await runIsolated(createBatchContext(this.stack.runtime), commands);
  }
}
