/** A command that kills whatever process runs it. */
import { expect } from 'chai';
import { Deployment, type Service, type Tenant, totals } from '../support/deployment.js';
import { expectNothingLost } from '../support/journal.js';
import { Load } from '../support/load.js';
import { eventually } from '../support/poll.js';

const DEADLY = { FAILPOINTS: 'kill_marked' };
const MARK = { notes: 'kill-this-worker' };
const NEIGHBOURS = 20;
/** A death costs up to 15 s until the job comes back, and it takes several. */
const PATIENCE_MS = 180_000;

interface Parked {
  items: { command_id: string; tenant_id: string; type: string; attempts: number }[];
}

/** Starts the service again whenever it dies, as whoever runs it does. Returns how to end that. */
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

export async function runPoison(): Promise<void> {
  const deployment = await Deployment.prepare({ settings: { WRITE_TIMEOUT_MS: '3000' } });
  const { web, writer } = deployment;
  try {
    if (web !== writer) await deployment.clock?.start();
    if (web !== writer) await web.start();
    await writer.start(DEADLY);
    const [tenant] = (await deployment.tenants(1)) as [Tenant];
    const load = new Load({ origins: [web.origin], tenants: [tenant] });
    const endSupervision = supervise(writer);
    const bad = load.note(tenant, MARK);
    const good = Array.from({ length: NEIGHBOURS }, () => load.note(tenant));
    // Where the process that answers dies with it, nobody could ever tell this client more; it asks once.
    const told = web === writer ? load.once(bad) : load.insist(bad);
    await Promise.all([...good.map((call) => load.insist(call)), told]);
    expect(good.map(({ outcome }) => outcome)).to.deep.equal(good.map(() => 'ok'));
    const parked = await eventually(
      'the command to be parked',
      async () => ((await deployment.tow('commands', 'parked')).data as unknown as Parked).items[0],
      PATIENCE_MS,
    );
    expect(parked).to.deep.include({ tenant_id: tenant.id, type: 'invoice.create', attempts: 4 });
    if (web !== writer) expect(bad.outcome, bad.answers.join()).to.equal('refused');
    await endSupervision();
    await writer.start();
    const replay = await deployment.tow('commands', 'replay', parked.command_id, '--tenant', tenant.id);
    expect([replay.code, replay.data.status]).to.deep.equal([0, 'queued']);
    await load.follow(bad, parked.command_id);
    await expectNothingLost(deployment, load);
  } finally {
    await deployment.end();
  }
}
