/** A command that kills every process that runs it. */
import { expect } from 'chai';
import { Deployment, type Service, type Tenant, totals } from '../support/deployment.js';
import { expectNothingLost } from '../support/journal.js';
import { Load } from '../support/load.js';
import { eventually } from '../support/poll.js';

const DEADLY = { FAILPOINTS: 'kill_marked' };
const MARK = { notes: 'kill-this-worker' };
const NEIGHBOURS = 20;
/** Each death costs up to 15 s until the job is retried, and parking takes several deaths. */
const PATIENCE_MS = 180_000;

/** The process that parks the command logs this. */
const PARKED = /parked a command that keeps killing its worker/;

interface Parked {
  items: { command_id: string; tenant_id: string; type: string }[];
}

interface Replay {
  status: string;
}

/**
 * Restarts the service whenever it dies, as a process manager does. Returns a function that ends
 * this.
 */
function supervise(service: Service): () => Promise<void> {
  let ending = false;
  const supervision = (async () => {
    while (!ending) {
      const end = await service.process?.hasEnded(PATIENCE_MS);
      if (ending) return;
      expect(end).to.deep.equal({ code: null, signal: 'SIGKILL' });
      totals.kills += 1;
      service.launch(DEADLY);
    }
  })();
  return async () => {
    ending = true;
    await service.stop('SIGKILL');
    await supervision;
  };
}

export function runPoison(): Promise<void> {
  return Deployment.run({ settings: { WRITE_TIMEOUT_MS: '3000' } }, async (deployment) => {
    const { web, writer, clock } = deployment;
    // All in one, the process that responds dies too.
    const isAlone = web === writer;
    await Promise.all([writer.start(DEADLY), clock?.start(), isAlone || web.start()]);
    const [tenant] = (await deployment.tenants(1)) as [Tenant];
    const load = new Load({ origins: [web.origin], tenants: [tenant] });
    const endSupervision = supervise(writer);
    const bad = load.note(tenant, MARK);
    const good = Array.from({ length: NEIGHBOURS }, () => load.note(tenant));
    // All in one, this client only ever sees a broken connection, so it sends the command once.
    const told = isAlone ? load.once(bad) : load.insist(bad);
    await Promise.all([...good.map((call) => load.insist(call)), told]);
    expect(good.map(({ outcome }) => outcome)).to.deep.equal(good.map(() => 'ok'));
    await eventually(
      'the command to be parked',
      () => PARKED.test(writer.process?.output ?? ''),
      PATIENCE_MS,
    );
    if (!isAlone) expect(bad.outcome, bad.answers.join()).to.equal('refused');
    await endSupervision();
    await writer.start();
    const { items } = await deployment.tow<Parked>('commands', 'parked');
    expect(items).to.have.length(1);
    expect(items[0]).to.include({ tenant_id: tenant.id, type: 'invoice.create' });
    const id = items[0]?.command_id ?? '';
    const replay = await deployment.tow<Replay>('commands', 'replay', id, '--tenant', tenant.id);
    expect(replay.status).to.equal('queued');
    await load.follow(bad, id);
    await expectNothingLost(deployment, load);
  });
}
