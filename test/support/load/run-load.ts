import { expect } from 'chai';
import { Deployment, type DeploymentOptions } from './deployment.js';
import { Load } from './load.js';
import { expectNothingLost } from './load-invariants.js';

const TENANTS = 3;

/** The part of a scenario between the first calls and the last calls of the load. */
export type Fault = (deployment: Deployment, load: Load) => Promise<void>;

/**
 * Runs a scenario: load, fault, more load, and then a check that no acknowledged write is lost or
 * doubled.
 */
export function runUnderLoad(fault: Fault, options: DeploymentOptions): Promise<void> {
  return Deployment.run(options, async (deployment) => {
    await deployment.start();
    const origins = deployment.webs.map(({ origin }) => origin);
    const load = new Load({ origins, tenants: await deployment.createTenants(TENANTS) }).start();
    try {
      await load.waitForCalls();
      await fault(deployment, load);
      await load.waitForCalls();
      await expectNothingLost(deployment, load);
    } finally {
      await load.stop(0);
    }
  });
}

/** Asserts that the writer ends cleanly on SIGTERM, and starts it again. */
export async function restartWriter({ writer }: Deployment): Promise<void> {
  const end = await writer.stop('SIGTERM');
  expect(end, writer.process?.output).to.deep.equal({ code: 0, signal: null });
  await writer.start();
}
