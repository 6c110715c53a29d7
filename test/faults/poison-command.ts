/** A scenario with a command that kills every process that runs it. */
import { expect } from 'chai';
import { type DeployedService, runTotals } from '../support/load/deployed-service.js';
import { type DeployedTenant, Deployment } from '../support/load/deployment.js';
import { Load } from '../support/load/load.js';
import { expectNothingLost } from '../support/load/load-invariants.js';
import { eventually } from '../support/poll.js';

const DEADLY = { FAILPOINTS: 'kill_marked' };
const MARK = { notes: 'kill-this-worker' };
const NEIGHBOURS = 20;
/**
 * Each death costs up to 15 s until the job is retried. The product parks the command (stops
 * running it) only after several deaths.
 */
const PARKING_TIMEOUT_MS = 180_000;

/** The process that parks the command logs this text. */
const PARKED_LOG_ENTRY = /parked a command that keeps killing its worker/;

interface ParkedCommands {
  items: { command_id: string; tenant_id: string; type: string }[];
}

interface Replay {
  status: string;
}

/**
 * Restarts the service whenever it dies, as a process manager does. Returns a function that kills
 * the service and ends the restarts.
 */
function supervise(service: DeployedService): () => Promise<void> {
  let ending = false;
  const supervision = (async () => {
    while (!ending) {
      const end = await service.process?.waitForExit(PARKING_TIMEOUT_MS);
      if (ending) return;
      expect(end).to.deep.equal({ code: null, signal: 'SIGKILL' });
      runTotals.kills += 1;
      service.launch(DEADLY);
    }
  })();
  return async () => {
    ending = true;
    await service.stop('SIGKILL');
    await supervision;
  };
}

export function runPoisonCommand(): Promise<void> {
  return Deployment.run({ settings: { WRITE_TIMEOUT_MS: '3000' } }, async (deployment) => {
    const { web, writer, clock } = deployment;
    // In an all-in-one deployment, the process that responds to requests is also the one that dies.
    const isAlone = web === writer;
    await Promise.all([writer.start(DEADLY), clock?.start(), isAlone || web.start()]);
    const [tenant] = (await deployment.createTenants(1)) as [DeployedTenant];
    const load = new Load({ origins: [web.origin], tenants: [tenant] });
    const endSupervision = supervise(writer);
    const poisonCall = load.addCall(tenant, MARK);
    const goodCalls = Array.from({ length: NEIGHBOURS }, () => load.addCall(tenant));
    // In an all-in-one deployment, the command kills the process that serves the request. A retry
    // would fail in the same way, so send the command only once.
    const poisonCallDone = isAlone ? load.sendOnce(poisonCall) : load.sendUntilDone(poisonCall);
    await Promise.all([...goodCalls.map((call) => load.sendUntilDone(call)), poisonCallDone]);
    expect(goodCalls.map(({ outcome }) => outcome)).to.deep.equal(goodCalls.map(() => 'ok'));
    await eventually(
      'the command to be parked',
      () => PARKED_LOG_ENTRY.test(writer.process?.output ?? ''),
      PARKING_TIMEOUT_MS,
    );
    if (!isAlone) expect(poisonCall.outcome, poisonCall.attempts.join()).to.equal('refused');
    await endSupervision();
    await writer.start();
    const { items } = await deployment.runTow<ParkedCommands>('commands', 'parked');
    expect(items).to.have.length(1);
    expect(items[0]).to.include({ tenant_id: tenant.id, type: 'invoice.create' });
    const id = items[0]?.command_id ?? '';
    const replay = await deployment.runTow<Replay>('commands', 'replay', id, '--tenant', tenant.id);
    expect(replay.status).to.equal('queued');
    await load.pollOperation(poisonCall, id);
    await expectNothingLost(deployment, load);
  });
}
