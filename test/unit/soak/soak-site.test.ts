import { expect } from 'chai';
import { FAULTS } from '../../soak/faults.js';
import { NO_FIGURES } from '../../soak/figures.js';
import { Site } from '../../soak/site.js';
import type { SoakStores } from '../../soak/stores.js';
import { DeployedService } from '../../support/load/deployed-service.js';
import type { Deployment } from '../../support/load/deployment.js';
import { useProcesses } from '../../support/load/processes.js';
import { SeededRandom } from '../../support/random/seeded-random.js';
import { getFreePort } from '../../support/stores.js';

const KINDS = { webs: [], mcps: [], writers: [], webhooks: [], exporters: [], integrators: [] };
const FAULT = 'writes dies at before_batch';

/** Builds a process that is ready, and after 100 ms does `then` if it has a failpoint. */
const buildScript = (then: string) => `
  require('http').createServer((_, response) => response.end()).listen(process.env.PORT, '127.0.0.1');
  if (process.env.FAILPOINTS) setTimeout(() => { ${then} }, 100);`;

describe('the processes of the soak', function () {
  this.timeout(60_000);
  const processes = useProcesses();

  async function startSite(script: string): Promise<{ site: Site; service: DeployedService }> {
    const service = new DeployedService(processes, ['node', '-e', script], {}, await getFreePort());
    await service.start();
    const deployment = { ...KINDS, writers: [service], services: [service] } as unknown as Deployment;
    const random = new SeededRandom('1');
    return {
      site: new Site(deployment, {} as SoakStores, undefined, random, { ...NO_FIGURES }, false),
      service,
    };
  }

  const makeFault = (site: Site) => FAULTS.find(({ name }) => name === FAULT)?.make(site);

  it('a process that has ended by itself is reported, and does not count as killed', async () => {
    const { site, service } = await startSite(buildScript(''));
    site.expectRunning();
    await service.stop('SIGTERM');
    expect(() => site.expectRunning()).to.throw('ended by itself with SIGTERM');
    const error = await site.kill([service]).catch((caught: Error) => caught);
    expect(error).to.be.an('error').with.property('message').that.includes('ended by itself');
    expect(site.figures.kills).to.equal(0);
  });

  it('a death at a failpoint counts under its name, and a process that did not reach it under another', async () => {
    const dying = await startSite(buildScript("process.kill(process.pid, 'SIGKILL')"));
    expect(await makeFault(dying.site)).to.equal(FAULT);
    const idle = await startSite(buildScript(''));
    expect(await makeFault(idle.site)).to.equal('writes did not reach before_batch');
    expect([dying, idle].map(({ site }) => site.figures.kills)).to.deep.equal([2, 2]);
  });

  it('a process that ends with an exit code at a failpoint is reported', async () => {
    const { site } = await startSite(buildScript('process.exit(1)'));
    const error = await Promise.resolve(makeFault(site)).catch((caught: Error) => caught);
    expect(error).to.be.an('error').with.property('message').that.includes('ended by itself with 1');
  });
});
