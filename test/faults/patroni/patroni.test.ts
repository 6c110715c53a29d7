/**
 * Runs the product on PostgreSQL under Patroni behind HAProxy, with the files of
 * docs/deploy/patroni, while the primary fails.
 */
import { expect } from 'chai';
import pg from 'pg';
import { getErrorCode, isConnectionError } from '../../../shared/platform/errors.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { openDatabase } from '../../../shared/platform/postgres/database.js';
import { runTotals } from '../../support/load/deployed-service.js';
import type { Deployment } from '../../support/load/deployment.js';
import type { PatroniCluster } from '../../support/load/patroni/cluster.js';
import { StaleWriter } from '../../support/load/patroni/stale-writer.js';
import { fetchStatus } from '../../support/load/processes.js';
import { reportLongestGap } from '../../support/load/report-pause.js';
import { type Fault, runUnderLoad } from '../../support/load/run-load.js';
import { TcpForwarder } from '../../support/network/tcp-forwarder.js';
import { eventually } from '../../support/poll.js';
import { IS_SCALED } from '../../support/stores.js';
import { findMissing, startCluster } from './start-cluster.js';

const missing = findMissing();
/** Longer than `ttl` in docs/deploy/patroni/patroni.yml. */
const FAILOVER_TIMEOUT_MS = 60_000;
/** Shorter than the default, so that writes without a reply become operations soon. */
const SETTINGS = { WRITE_TIMEOUT_MS: '3000' };
const isRefusal = (attempt: string) => /^POST 503\b/.test(attempt);

describe(`PostgreSQL under Patroni behind HAProxy${missing ? ` (skipped: ${missing})` : ''}`, function () {
  this.timeout(300_000);
  let cluster: PatroniCluster;

  before(async function () {
    if (missing) return this.skip();
    cluster = await startCluster();
  });
  afterEach(function () {
    if (this.currentTest?.state === 'failed') process.stdout.write(cluster.describeOutputs());
  });
  after(() => cluster?.stop());

  /** Runs the fault under load, and asserts that the same processes are ready again afterwards. */
  const underLoad = (fault: Fault) => {
    const withReadiness: Fault = async (deployment, load) => {
      await fault(deployment, load);
      await expectReadyAgain(deployment);
    };
    return runUnderLoad(withReadiness, { settings: SETTINGS, databaseUrl: cluster.databaseUrl });
  };

  /** Asserts that every process is ready, and that none has ended or was started again. */
  async function expectReadyAgain({ services }: Deployment): Promise<void> {
    for (const { origin, process } of services) {
      await eventually(`${origin} to be ready`, async () => (await fetchStatus(`${origin}/readyz`)) === 200);
      expect(process?.end, process?.output).to.equal(undefined);
    }
  }

  // Scaled out, all-clients.test.ts kills it.
  if (!IS_SCALED)
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
        expect(await cluster.findPrimary()).to.not.equal(killed);
      }));

  it('no acknowledged write is lost or doubled when the primary hangs, and it returns as a standby', () =>
    underLoad(async (_, load) => {
      const hanging = await cluster.findPrimary();
      const writer = await StaleWriter.prepare(cluster.buildSuperuserUrl(hanging));
      await reportLongestGap('primary hangs', load, async () => {
        hanging.signalMachine('SIGSTOP');
        await load.waitForCalls(1);
      });
      hanging.signalMachine('SIGCONT');
      // Until Patroni has demoted it, it takes writes that no standby confirms.
      const { attempts, acknowledged } = await writer.writeUntilStandby(hanging);
      process.stdout.write(`      the returned primary took ${attempts} writes before it was a standby\n`);
      expect(acknowledged, 'writes that the returned primary acknowledged').to.equal(0);
      await cluster.waitUntilComplete();
      expect(await cluster.findPrimary()).to.not.equal(hanging);
    }));

  it('no acknowledged write is lost or doubled when Patroni alone hangs, and its PostgreSQL acknowledges none', () =>
    underLoad(async (_, load) => {
      const stale = await cluster.findPrimary();
      const writer = await StaleWriter.prepare(cluster.buildSuperuserUrl(stale));
      await reportLongestGap("primary's Patroni hangs", load, async () => {
        stale.signalPatroni('SIGSTOP');
        await eventually(
          'another primary',
          async () => (await cluster.findPrimary()) !== stale,
          FAILOVER_TIMEOUT_MS,
        );
      });
      // Two servers take writes, but only one has a standby that confirms them.
      expect([await writer.isPrimary(), await writer.write()]).to.deep.equal([true, false]);
      stale.signalPatroni('SIGCONT');
      await cluster.waitUntilComplete();
      expect(await cluster.findPrimary()).to.not.equal(stale);
    }));

  it('no acknowledged write is lost or doubled by a planned switchover and then the loss of etcd, and all continues by itself', () =>
    underLoad(async ({ web }, load) => {
      let to: unknown;
      await reportLongestGap('switchover', load, async () => {
        to = await cluster.switchOver();
      });
      await cluster.waitUntilComplete();
      expect(await cluster.findPrimary()).to.equal(to);

      const countRefusals = () => load.calls.flatMap((call) => call.attempts.filter(isRefusal)).length;
      await reportLongestGap('etcd lost for a while', load, async () => {
        await cluster.killEtcd();
        runTotals.kills += 1;
        await cluster.waitForNoPrimary();
        const refusals = countRefusals();
        await eventually('a write to get 503', () => countRefusals() > refusals);
        for (const path of ['/readyz', '/v1/invoices'])
          await eventually(`503 for ${path}`, async () => {
            const headers = { authorization: `Bearer ${load.calls[0]?.tenant.key}` };
            return (await fetch(`${web.origin}${path}`, { headers })).status === 503;
          });
        await cluster.startEtcd();
        await load.waitForCalls(1);
      });
      await cluster.waitUntilComplete();
    }));

  it('the second port of HAProxy leads to a standby', async () => {
    const client = new pg.Client({ connectionString: cluster.replicaUrl });
    await client.connect();
    const { rows } = await client.query('select pg_is_in_recovery() as is_standby');
    await client.end();
    expect(rows).to.deep.equal([{ is_standby: true }]);
  });

  it('a connection that leads to a standby is closed before its first write, so that the next one reaches the primary', async () => {
    const forwarder = await TcpForwarder.start((await cluster.findSynchronousStandby()).options.port);
    const url = new URL(cluster.databaseUrl);
    url.port = `${forwarder.port}`;
    const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
    const db = openDatabase({ databaseUrl: url.href, poolSize: 2, applicationName: 'tow-test', logger });
    const text = 'update customers set company_name = company_name where tenant_id is null';
    const write = () => db.transaction([], (tx) => tx.query({ text }));
    try {
      const refusal = await write().catch((error: unknown) => error);
      expect([getErrorCode(refusal), isConnectionError(refusal)]).to.deep.equal(['08006', true]);
      forwarder.target = (await cluster.findPrimary()).options.port;
      expect(await write()).to.deep.equal([]);
    } finally {
      await db.close();
      await forwarder.stop();
    }
  });
});
