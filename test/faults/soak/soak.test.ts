/**
 * Runs the campaign of `npm run soak` for some seconds: a round under faults, and a round that ends
 * with one violation of each promise.
 */
import { expect } from 'chai';
import { FAULTS } from '../../soak/faults.js';
import type { RunRecord } from '../../soak/figures.js';
import type { Round } from '../../soak/round.js';
import { runSoak, type SoakResult } from '../../soak/soak.js';
import type { AgentCall } from '../../support/agents/agent-load.js';
import type { Deployment } from '../../support/load/deployment.js';
import type { LoadCall } from '../../support/load/load.js';
import { IS_SCALED } from '../../support/stores.js';

/** Faults from which the product recovers within a second or two. */
const SHORT_FAULTS = ['FLUSHALL', 'kill writes', 'terminate all connections of PostgreSQL'];
const ONE_OF_EACH = { webs: 1, mcps: 1, writers: 1, webhooks: 1, exporters: 1, integrators: 1 };

/** Deletes the invoice of a call, and adds one that no client got. */
async function falsify(deployment: Deployment, { tenant, id }: LoadCall): Promise<void> {
  const db = await deployment.db();
  await db.transaction([tenant.id], async (tx) => {
    const values = [tenant.id, id];
    await tx.query({
      text: `insert into invoices (tenant_id, id, invoice_number, status, subtotal_cents, tax_cents, total_cents, created_at, updated_at)
             select tenant_id, gen_random_uuid(), 'doubled', status, subtotal_cents, tax_cents, total_cents, now(), now()
             from invoices where tenant_id = $1 and id = $2`,
      values,
    });
    await tx.query({
      text: 'delete from invoice_line_items where tenant_id = $1 and invoice_id = $2',
      values,
    });
    await tx.query({ text: 'delete from invoices where tenant_id = $1 and id = $2', values });
  });
}

/** Ends the work of a round, and changes what is remembered of it as a broken product would. */
async function breakEveryPromise(deployment: Deployment, round: Round): Promise<void> {
  const { load, agents, listeners, books } = round;
  await Promise.all([load.stop(), agents.stop(), books.pause()]);
  await listeners.waitForBacklog();
  await falsify(deployment, load.calls[0] as LoadCall);
  const isWrite = (call: AgentCall) => call.tool === 'create_work_order' && call.result;
  agents.calls.splice(agents.calls.findIndex(isWrite), 1);
  listeners.listeners[0]?.endpoint.requests.shift();
  const [invoice] = books.released;
  if (invoice) invoice.paidCents += 1;
}

describe(`the soak${IS_SCALED ? '' : ' (skipped: its faults need a scaled-out deployment)'}`, function () {
  this.timeout(120_000);
  const saved: RunRecord[] = [];
  let result: SoakResult;

  before(async function () {
    if (!IS_SCALED) this.skip();
    let rounds = 0;
    const ending = new AbortController();
    result = await runSoak({
      seed: 1,
      durationMs: 60_000,
      roundMs: 500,
      calmMs: [0, 100],
      callsAfterFault: 20,
      clients: 12,
      processes: ONE_OF_EACH,
      faults: FAULTS.filter(({ name }) => SHORT_FAULTS.includes(name)),
      signal: ending.signal,
      print: () => undefined,
      save: (run) => void saved.push(structuredClone(run)),
      async beforeCheck(deployment, round) {
        rounds += 1;
        if (rounds < 2) return;
        ending.abort();
        await breakEveryPromise(deployment, round);
      },
    });
  });

  it('a round under faults keeps all promises, and counts what it did', () => {
    const [{ figures, failures } = {} as RunRecord] = saved;
    expect(failures).to.deep.equal([]);
    expect(figures).to.include({ checkpoints: 1, lost: 0, doubled: 0 });
    expect(figures?.writes).to.be.above(20);
    expect(figures?.deliveries).to.be.above(20);
    expect(figures?.exports).to.be.at.least(2);
    expect(figures?.agentCalls).to.be.above(0);
    expect(figures?.bookedInvoices).to.be.above(0);
  });

  it('a deleted invoice counts as lost, one more as doubled, and each broken promise is reported', () => {
    const { figures, failures } = result.run;
    expect(figures).to.include({ checkpoints: 2, lost: 1, doubled: 1 });
    expect(failures.map((text) => text.split(':')[0])).to.deep.equal([
      'writes',
      'agents',
      'webhooks',
      'exports',
      'books',
    ]);
    expect(result.lastFaults).to.not.deep.equal([]);
  });
});
