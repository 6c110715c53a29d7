import type { Command } from '../../shared/contracts/command.js';
import type { Transaction } from '../../shared/platform/postgres/database.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { openWritesQueue, type WritesQueue } from '../../shared/queues/writes.js';
import { findDueDrives, measureDueDrive } from '../../shared/resources/work-orders/driven/sweep.js';
import { enqueueCommands } from '../sweeps/enqueue-commands.js';
import type { Task } from '../sweeps/schedule.js';
import { DEFAULT_ROWS_PER_PASS, splitTenants, sweepSets, sweepTenantSet } from '../sweeps/sweep-tenants.js';

/**
 * Maximum duration of a pass over all accounts. A longer pass would delay the clock's other tasks.
 * What is left stays due, and the next pass continues with the next accounts.
 */
const PASS_BUDGET_MS = 5_000;

export const driveTask: Task = {
  name: 'measure-drives',
  everyMs: 60_000,
  prepare: (runtime) => createDriveMeasurement(runtime, openWritesQueue(runtime)),
};

interface Pass extends Record<string, unknown> {
  measured: number;
  isUnfinished: boolean;
}

/**
 * Returns a function that runs one pass. A pass measures the drives of work orders that ended, and
 * submits the results as commands. However short the budget is, a pass measures one drive.
 */
export function createDriveMeasurement(
  runtime: Runtime,
  writes: WritesQueue,
  budgetMs = PASS_BUDGET_MS,
): () => Promise<Pass> {
  // The tenant with which the next pass begins. If every pass began at the first one, the last
  // tenants might never be measured.
  let first: string | undefined;
  return async () => {
    const endAt = performance.now() + budgetMs;
    const tenants = startAt(await runtime.db.listTenantIds(), first);
    const pass: Pass = { measured: 0, isUnfinished: false };
    const measure = async (tx: Transaction, tenantIds: readonly string[]): Promise<Command[]> => {
      const places = new Map(tenantIds.map((id, place) => [id, place]));
      const placeOf = ({ tenant_id: id }: { tenant_id: string }) => places.get(id) ?? 0;
      const due = await findDueDrives(tx, DEFAULT_ROWS_PER_PASS);
      // One drive of each tenant, by the tenants' sequence in this pass, then a second one of each.
      due.sort((one, other) => one.round - other.round || placeOf(one) - placeOf(other));
      const commands: Command[] = [];
      // One after the other, so that the positions of one work order alone are in memory.
      for (const drive of due) {
        if (performance.now() >= endAt && pass.measured > 0) {
          pass.isUnfinished = true;
          break;
        }
        commands.push(await measureDueDrive(tx, drive));
        pass.measured += 1;
        // From the second round on, each tenant of the set has had one.
        first = findNext(tenants, drive.round === 1 ? drive.tenant_id : tenantIds.at(-1));
      }
      return commands;
    };
    await sweepSets(splitTenants(tenants), async (tenantIds) => {
      if (pass.isUnfinished) return;
      const work = async (tx: Transaction) => enqueueCommands(writes, await measure(tx, tenantIds));
      await sweepTenantSet(runtime, { task: driveTask.name, tenantIds, work });
    });
    return pass;
  };
}

function findNext(tenantIds: readonly string[], tenantId = ''): string | undefined {
  return tenantIds[(tenantIds.indexOf(tenantId) + 1) % tenantIds.length];
}

/** Rotates the list so that it begins with this tenant, if it has that one. */
function startAt(tenantIds: readonly string[], first: string | undefined): readonly string[] {
  const start = Math.max(0, tenantIds.indexOf(first ?? ''));
  return [...tenantIds.slice(start), ...tenantIds.slice(0, start)];
}
