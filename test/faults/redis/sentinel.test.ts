/** The master of the sentinels dies or hangs while clients write. */
import { setTimeout as sleep } from 'node:timers/promises';
import { runTotals } from '../../support/load/deployed-service.js';
import type { Load } from '../../support/load/load.js';
import { runUnderLoad } from '../../support/load/run-load.js';
import { findMissingProgram } from '../../support/redis/programs.js';
import { SentinelSet } from '../../support/redis/topologies/sentinels.js';
import { IS_SCALED } from '../../support/stores.js';

const missing = findMissingProgram('redis-server', 'redis-sentinel');
/** Shorter than the default, so that writes which lost their job become operations soon. */
const SETTINGS = { WRITE_TIMEOUT_MS: '3000' };

/** Prints how long no write was acknowledged. */
async function reportPause(fault: string, load: Load): Promise<void> {
  const startedAt = Date.now();
  const before = load.acknowledgedCount;
  // Writes that were under way when the fault began are acknowledged at once.
  await sleep(500);
  const early = load.acknowledgedCount - before;
  await load.waitForCalls(1);
  process.stdout.write(
    `      ${fault}: writes again after ${Date.now() - startedAt} ms (${early} in the first 500 ms)\n`,
  );
}

if (IS_SCALED) {
  describe(`Redis behind sentinels${missing ? ` (skipped: ${missing})` : ''}`, function () {
    this.timeout(180_000);

    before(function () {
      if (missing) this.skip();
    });

    it('no acknowledged write is lost or doubled when the master is killed, and when the next one hangs', async () => {
      const sentinels = new SentinelSet();
      await runUnderLoad(
        async (_deployment, load) => {
          const killed = await sentinels.killMaster();
          runTotals.kills += 1;
          await reportPause('master killed', load);
          await load.waitForCalls();
          await sentinels.restart(killed);
          const hanging = await sentinels.findMaster();
          // A stopped process keeps its connections open, as a machine without network does.
          hanging.process.kill('SIGSTOP');
          await reportPause('master hangs', load);
          await load.waitForCalls();
          hanging.process.kill('SIGCONT');
        },
        { settings: SETTINGS, startRedis: () => sentinels.start() },
      );
    });
  });
}
