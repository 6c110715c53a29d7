/** The master of the sentinels dies or hangs while clients write. */
import { runTotals } from '../../support/load/deployed-service.js';
import { reportPause } from '../../support/load/report-pause.js';
import { runUnderLoad } from '../../support/load/run-load.js';
import { findMissingProgram } from '../../support/redis/programs.js';
import { SentinelSet } from '../../support/redis/topologies/sentinels.js';
import { IS_SCALED } from '../../support/stores.js';

const missing = findMissingProgram('redis-server', 'redis-sentinel');
/** Shorter than the default, so that writes which lost their job become operations soon. */
const SETTINGS = { WRITE_TIMEOUT_MS: '3000' };

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
