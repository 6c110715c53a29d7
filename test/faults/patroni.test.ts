/**
 * Runs the product on PostgreSQL under Patroni behind HAProxy, with the files of
 * docs/deploy/patroni, while the primary fails.
 */
import { runTotals } from '../support/load/deployed-service.js';
import { PatroniCluster } from '../support/load/patroni/cluster.js';
import { reportLongestGap } from '../support/load/report-pause.js';
import { type Fault, runUnderLoad } from '../support/load/run-load.js';
import { findMissingProgram } from '../support/redis/programs.js';

const missing = findMissingProgram('patroni', 'etcd', 'haproxy');
/** Shorter than the default, so that writes without a reply become operations soon. */
const SETTINGS = { WRITE_TIMEOUT_MS: '3000' };

describe(`PostgreSQL under Patroni behind HAProxy${missing ? ` (skipped: ${missing})` : ''}`, function () {
  this.timeout(300_000);
  let cluster: PatroniCluster;

  before(async function () {
    if (missing) return this.skip();
    cluster = await new PatroniCluster().start();
  });
  after(() => cluster?.stop());

  const underLoad = (fault: Fault) =>
    runUnderLoad(fault, { settings: SETTINGS, databaseUrl: cluster.databaseUrl });

  it("no acknowledged write is lost or doubled when the primary's machine is killed, and it rejoins", () =>
    underLoad(async (_, load) => {
      const killed = await cluster.findPrimary();
      await reportLongestGap('primary killed', load, async () => {
        await killed.kill();
        runTotals.kills += 1;
        await load.waitForCalls(1);
      });
      killed.start();
      await cluster.waitUntilComplete();
    }));
});
