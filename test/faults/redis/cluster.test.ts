/** A master of the cluster dies, and the queues move to another one, while clients write. */
import { expect } from 'chai';
import { runTotals } from '../../support/load/deployed-service.js';
import { reportPause } from '../../support/load/report-pause.js';
import { restartWriter, runUnderLoad } from '../../support/load/run-load.js';
import { findMissingProgram } from '../../support/redis/programs.js';
import { RedisCluster } from '../../support/redis/topologies/cluster.js';
import { IS_SCALED } from '../../support/stores.js';

const missing = findMissingProgram('redis-server', 'redis-cli');
/** Shorter than the default, so that writes which lost their job become operations soon. */
const SETTINGS = { WRITE_TIMEOUT_MS: '3000' };

if (IS_SCALED) {
  describe(`Redis as a cluster${missing ? ` (skipped: ${missing})` : ''}`, function () {
    this.timeout(180_000);

    before(function () {
      if (missing) this.skip();
    });

    it('no acknowledged write is lost or doubled when the queues move and when their master is killed', async () => {
      const cluster = new RedisCluster();
      await runUnderLoad(
        async (deployment, load) => {
          await cluster.moveQueues();
          await reportPause('queues moved', load);
          await load.waitForCalls();
          const killed = await cluster.killMasterOfQueues();
          runTotals.kills += 1;
          // An election takes longer than this request.
          const readiness = await (await fetch(`${deployment.web.origin}/readyz`)).json();
          expect(readiness).to.deep.include({ ok: true, degraded: true });
          await reportPause('master killed', load);
          await load.waitForCalls();
          await cluster.restart(killed);
          await cluster.moveQueues();
          await restartWriter(deployment);
          expect(await cluster.listDenials()).to.deep.equal([]);
        },
        { settings: SETTINGS, startRedis: () => cluster.start() },
      );
    });
  });
}
