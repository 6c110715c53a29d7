import type { Runtime } from '../../shared/platform/process/runtime.js';
import { type ExportsQueue, openExportsQueue, promptExports } from '../../shared/queues/exports.js';
import { openWritesQueue, type WritesQueue } from '../../shared/queues/writes.js';
import {
  findDueExports,
  findExpiredExports,
  findLostExports,
} from '../../shared/resources/exports/sweeps.js';
import { enqueueCommands } from '../sweeps/enqueue-commands.js';
import type { Task } from '../sweeps/schedule.js';
import { DEFAULT_ROWS_PER_PASS, sweepTenants } from '../sweeps/sweep-tenants.js';

export const exportTask: Task = {
  name: 'watch-exports',
  everyMs: 5_000,
  prepare: (runtime) => {
    const queues = { writes: openWritesQueue(runtime), exports: openExportsQueue(runtime) };
    return () => watchExports(runtime, queues);
  },
};

/**
 * Adds wake-up jobs for due exports that no worker has leased. The job of such an export may be
 * lost, or its worker may have died. Also submits commands that fail exports without tries left,
 * and commands that expire exports after their retention period.
 */
async function watchExports(
  runtime: Runtime,
  { writes, exports }: { writes: WritesQueue; exports: ExportsQueue },
): Promise<Record<string, unknown>> {
  let [due, ended] = [0, 0];
  await sweepTenants(runtime, exportTask.name, async (tx) => {
    const [refs, lost, expired] = await Promise.all([
      findDueExports(tx),
      findLostExports(tx, DEFAULT_ROWS_PER_PASS),
      findExpiredExports(tx, DEFAULT_ROWS_PER_PASS),
    ]);
    await promptExports(
      exports,
      refs.map(({ tenant_id: tenantId, id: exportId }) => ({ tenantId, exportId })),
    );
    const commands = [...lost, ...expired];
    await enqueueCommands(writes, commands);
    due += refs.length;
    ended += commands.length;
  });
  return { due, ended };
}
