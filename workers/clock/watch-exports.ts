import type { Runtime } from '../../shared/platform/runtime.js';
import { type ExportsQueue, promptExports } from '../../shared/queues/exports.js';
import type { WritesQueue } from '../../shared/queues/writes.js';
import {
  findDueExports,
  findExpiredExports,
  findLostExports,
} from '../../shared/resources/exports/sweeps.js';
import { enqueueCommands } from './enqueue-commands.js';
import { FOUND_PER_PASS, sweepTenants } from './sweep-tenants.js';

/**
 * Exports that could be made and that nobody has in hand: their prompt was lost, another one of their account has ended, or the worker that had them died. Those
 * that had all their tries have failed; the files of those whose days are over are to go.
 */
export async function watchExports(
  runtime: Runtime,
  { writes, exports }: { writes: WritesQueue; exports: ExportsQueue },
): Promise<Record<string, unknown>> {
  let [due, ended] = [0, 0];
  await sweepTenants(runtime, 'watch-exports', async (tx) => {
    const [refs, lost, expired] = await Promise.all([
      findDueExports(tx),
      findLostExports(tx, FOUND_PER_PASS),
      findExpiredExports(tx, FOUND_PER_PASS),
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
