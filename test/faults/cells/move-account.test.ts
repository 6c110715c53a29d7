/** Moves an account under load from one deployment to another, with the steps of the guide. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startBalancer } from '../../support/load/cells/balancer.js';
import { type DeployedTenant, Deployment } from '../../support/load/deployment.js';
import { Load } from '../../support/load/load.js';
import { reportLongestGap } from '../../support/load/report-pause.js';
import { findMissingProgram } from '../../support/redis/programs.js';
import { createDatabase } from '../../support/stores.js';

const missing = findMissingProgram('haproxy');
const PACE = { clients: 4, thinkMs: 10, isBalanced: true };

describe(`an account that moves to another deployment${missing ? ` (skipped: ${missing})` : ''}`, function () {
  this.timeout(120_000);
  let folder: string;

  before(async function () {
    if (missing) return this.skip();
    folder = await mkdtemp(join(tmpdir(), 'tow-cells-'));
  });
  after(() => folder && rm(folder, { recursive: true, force: true }));

  it('keeps every acknowledged write exactly once, and the other accounts see no pause', async () => {
    await withTwoCells(async (a, b) => {
      await Promise.all([a.start(), b.start()]);
      const [moved, stays] = (await a.createTenants(2)) as [DeployedTenant, DeployedTenant];
      const balancer = await startBalancer(a, b);
      const load = new Load({ origins: [balancer.origin], tenants: [moved], ...PACE }).start();
      const other = new Load({ origins: [balancer.origin], tenants: [stays], ...PACE }).start();
      try {
        await load.waitForCalls(100);
        await reportLongestGap('the account that stays', other, () =>
          reportLongestGap('the account that moves', load, async () => {
            const t0 = Date.now();
            const lap = (n: string) => process.stdout.write(`${n} ${Date.now() - t0}\n`);
            const out = join(folder, 'dump');
            await a.runTow('accounts', 'freeze', '--tenant', moved.id);
            lap('freeze');
            await a.runTow('accounts', 'dump', '--tenant', moved.id, '--out', out);
            lap('dump');
            await b.runTow('accounts', 'restore', out);
            lap('restore');
            const routes = ['accounts', 'routes', '--tenant', moved.id, '--cell', 'cell_b'];
            await balancer.addRoutes((await b.runTow<{ map: string }>(...routes)).map);
            await b.runTow('accounts', 'release', '--tenant', moved.id);
            lap('release');
          }),
        );
        await Promise.all([load.stop(), other.stop()]);
        expect(load.calls.filter(({ outcome }) => outcome !== 'ok')).to.deep.equal([]);
      } finally {
        await Promise.all([load.stop(0), other.stop(0)]);
        await balancer.stop();
      }
    });
  });
});

async function withTwoCells(work: (a: Deployment, b: Deployment) => Promise<void>): Promise<void> {
  const cell = async () => ({ databaseUrl: await createDatabase(), webhooks: 1 });
  await Deployment.run(await cell(), async (a) => Deployment.run(await cell(), (b) => work(a, b)));
}
