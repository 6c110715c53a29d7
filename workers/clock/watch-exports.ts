import type { Runtime } from '../../shared/platform/process/runtime.js';
import { type ExportsQueue, promptExports } from '../../shared/queues/exports.js';
import type { WritesQueue } from '../../shared/queues/writes.js';
import {
  findDueExports,
  findExpiredExports,
  findLostExports,
} from '../../shared/resources/exports/sweeps.js';
import { enqueueCommands } from './enqueue-commands.js';
import { DEFAULT_ROWS_PER_PASS, sweepTenants } from './sweep-tenants.js';

/**
 * Adds wake-up jobs for exports that can run and that no worker holds: their wake-up job was lost,
 * their worker died, or another export of their account has ended. Submits commands that fail
 * exports which have used all their tries, and commands that expire exports after their retention
 * period.
 */
export async function watchExports(
  runtime: Runtime,
  { writes, exports }: { writes: WritesQueue; exports: ExportsQueue },
): Promise<Record<string, unknown>> {
  let [due, ended] = [0, 0];
  await sweepTenants(runtime, 'watch-exports', async (tx) => {
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
