/** Runs `npm run failover` with shorter times, in a file of its own because mails may take long. */
import { expect } from 'chai';
import { buildTable, listFaults } from '../../failover/report-table.js';
import { runFailover } from '../../failover/run-failover.js';
import type { PatroniCluster } from '../../support/load/patroni/cluster.js';
import { IS_SCALED } from '../../support/stores.js';
import { findMissing, startCluster } from './start-cluster.js';

const missing = IS_SCALED ? findMissing('nginx', 'redis-sentinel', 'openssl') : undefined;
/** Of a hook. With the test's time, less than the ten minutes that a file may take. */
const HOOK_MS = 100_000;
/** A mail whose lease got no answer waits for three minutes, until the lease ends. */
const WITH_MAILS_MS = 480_000;

if (IS_SCALED)
  describe(`all clients while the stores fail over${missing ? ` (skipped: ${missing})` : ''}`, function () {
    this.timeout(HOOK_MS);
    let cluster: PatroniCluster;

    before(async function () {
      if (missing) return this.skip();
      cluster = await startCluster();
    });
    afterEach(function () {
      if (this.currentTest?.state === 'failed') process.stdout.write(cluster.describeOutputs());
    });
    after(() => cluster?.stop());

    it("npm run failover: nothing is lost or doubled when the Redis master and the primary's machine are killed, and both rejoin", async () => {
      const print = (line: string) => void process.stdout.write(`      ${line}\n`);
      const result = await runFailover({ print, quietMs: 0, cluster });
      for (const line of buildTable(result)) print(line);
      expect(listFaults(result)).to.deep.equal([]);
      for (const { kind, calls } of result.reports) expect(calls, kind).to.not.deep.equal([]);
    }).timeout(WITH_MAILS_MS);
  });
