import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { addQueueGauges } from '../../../shared/queues/gauges.js';
import { openWritesQueue } from '../../../shared/queues/writes.js';
import { startWritesWorker } from '../../../workers/writes/index.js';
import { eventually } from '../../support/poll.js';
import { endpointInput, invoiceInput } from '../../support/records/samples.js';
import { useOwnStack } from '../../support/use-stack.js';
import { READY, readReadiness } from './readiness-response.js';

const WAITING = 'tow_queue_jobs{queue="writes",state="waiting"}';
const OLDEST = 'tow_queue_oldest_waiting_seconds{queue="writes"}';

describe('while no worker commits writes', () => {
  const stack = useOwnStack({ worker: false, environment: { WRITE_TIMEOUT_MS: '200' } });

  /** Returns the value of a gauge from /metrics, or undefined if the gauge is missing. */
  const readGauge = async (series: string): Promise<number | undefined> => {
    const page = await fetch(`${stack.origin}/metrics`).then((response) => response.text());
    const found = page.split('\n').find((text) => text.startsWith(`${series} `));
    return found === undefined ? undefined : Number(found.slice(series.length + 1));
  };

  it('GET /readyz is 200 and degraded after a test write was not committed', async () => {
    expect((await readReadiness(stack)).body).to.include(READY);
    const found = await eventually('a failed test write', async () => {
      const readiness = await readReadiness(stack);
      return readiness.body.degraded && readiness;
    });
    expect(found.status).to.equal(200);
    expect(found.body.checks.writes).to.include({
      ok: false,
      error: 'the last test write was not committed; see the writes workers',
    });
    expect(found.body.checks.queue).to.include({ ok: true });
  });

  it("a club's endpoint is created by a command that a worker of an older release does not know", async () => {
    const { client } = await stack.createTenant();
    const input = endpointInput({ event_types: ['club_offer.*'] });
    const sent = [await client.post('/webhook-endpoints', { ...input, club_id: newId() })];
    sent.push(await client.post('/webhook-endpoints', { ...input, club_id: null }));
    const jobs = await openWritesQueue(stack.runtime).getJobs(['waiting', 'prioritized', 'delayed']);
    const types = new Map(
      jobs.flatMap(({ data }) => data.commands.map(({ id, type }) => [id, type] as const)),
    );
    expect(sent.map(({ body }) => types.get(body.data.operation_id))).to.deep.equal([
      'webhook_endpoint.create_for_club',
      'webhook_endpoint.create',
    ]);
  });

  // This test starts a worker, so it comes last.
  it('queue metrics show how many jobs wait and for how long, and 0 after a worker has run them', async () => {
    const { client } = await stack.createTenant();
    addQueueGauges(stack.runtime, openWritesQueue(stack.runtime));
    for (let n = 0; n < 2; n += 1)
      expect((await client.post('/invoices', invoiceInput())).status).to.equal(202);
    expect(await readGauge(WAITING)).to.be.at.least(2);
    // The second request was sent after the first had timed out, so the first job has waited for at
    // least 0.2 s.
    expect(await readGauge(OLDEST)).to.be.at.least(0.2);
    startWritesWorker(stack.runtime);
    await eventually(
      'no job waits',
      async () => (await readGauge(WAITING)) === 0 && (await readGauge(OLDEST)) === 0,
    );
  });
});
