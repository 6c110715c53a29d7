/**
 * Runs processes in a network namespace, and drops every packet between them and the stores. No
 * connection ends, and nothing refuses a new one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { DeployedService } from '../../support/load/deployed-service.js';
import { Deployment } from '../../support/load/deployment.js';
import { Load } from '../../support/load/load.js';
import { expectNothingLost } from '../../support/load/load-invariants.js';
import { fetchStatus } from '../../support/load/processes.js';
import { SeparateMachine } from '../../support/network/separate-machine.js';
import { eventually } from '../../support/poll.js';
import { IS_SCALED } from '../../support/stores.js';

/** Longer than every timeout of a query, a connection and a lease. */
const CUT_MS = 25_000;
const READY_MS = 30_000;
const SETTINGS = { WRITE_TIMEOUT_MS: '3000' };
const TENANTS = 3;

const reason = !IS_SCALED
  ? 'its processes need a scaled-out deployment'
  : !SeparateMachine.isPossible() && process.env.CI !== 'true'
    ? 'only root can make network namespaces'
    : undefined;

describe(`a network partition${reason ? ` (skipped: ${reason})` : ''}`, function () {
  this.timeout(240_000);
  let machine: SeparateMachine;

  before(function () {
    if (reason) this.skip();
  });
  beforeEach(() => {
    machine = SeparateMachine.create();
  });
  afterEach(() => machine?.remove());

  /** Runs load, cuts the chosen services from their stores, and checks that nothing is lost. */
  const partition = (
    choose: (deployment: Deployment) => DeployedService[],
    duringCut: (deployment: Deployment, load: Load) => Promise<void>,
  ) =>
    Deployment.run({ writers: 2, settings: SETTINGS }, async (deployment) => {
      for (const service of choose(deployment)) await machine.place(service);
      await deployment.start();
      const origins = deployment.webs.map(({ origin }) => origin);
      const load = new Load({ origins, tenants: await deployment.createTenants(TENANTS) }).start();
      try {
        await load.waitForCalls();
        machine.cutStores();
        const healsAt = Date.now() + CUT_MS;
        await duringCut(deployment, load);
        await sleep(healsAt - Date.now());
        machine.mendStores();
        for (const service of deployment.services) await expectReadyAgain(service);
        await load.waitForCalls();
        await expectNothingLost(deployment, load);
      } finally {
        await load.stop(0);
      }
    });

  /** Asserts that a process becomes ready by itself, and was never started again. */
  async function expectReadyAgain({ origin, process: running }: DeployedService): Promise<void> {
    const isReady = async () => (await fetchStatus(`${origin}/readyz`)) === 200;
    await eventually(`${origin} to be ready`, isReady, READY_MS);
    expect(running?.end, running?.output).to.equal(undefined);
  }

  it('while all processes are cut from the stores, clients get 503; afterwards nothing is lost or doubled', () =>
    partition(
      ({ services }) => services,
      async ({ web }, load) => {
        const isRefused = async () => (await fetchStatus(`${web.origin}/readyz`)) === 503;
        await eventually('the API to say that it is not ready', isRefused);
        const acknowledged = load.acknowledgedCount;
        const refused = () => load.calls.filter(({ attempts }) => attempts.at(-1)?.startsWith('POST 503'));
        await eventually('clients to get 503', () => refused().length > 0);
        expect(load.acknowledgedCount).to.equal(acknowledged);
      },
    ));

  it('while one of two writers is cut from the stores, the other does all work; nothing is lost or doubled', () =>
    partition(
      ({ writer }) => [writer],
      async ({ writer }, load) => {
        await load.waitForCalls();
        expect(await fetchStatus(`${writer.origin}/readyz`)).to.equal(503);
      },
    ));
});
