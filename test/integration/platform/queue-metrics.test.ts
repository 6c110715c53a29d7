import { expect } from 'chai';
import { addQueueGauges } from '../../../shared/queues/gauges.js';
import { openWritesQueue } from '../../../shared/queues/writes.js';
import { startWritesWorker } from '../../../workers/writes/index.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useOwnStack } from '../../support/use-stack.js';

const WAITING = 'tow_queue_jobs{queue="writes",state="waiting"}';
const OLDEST = 'tow_queue_oldest_waiting_seconds{queue="writes"}';

describe('queue metrics', () => {
  const stack = useOwnStack({ worker: false, environment: { WRITE_TIMEOUT_MS: '100' } });

  /** Returns the value of a gauge from /metrics, or undefined if the gauge is missing. */
  const readGauge = async (series: string): Promise<number | undefined> => {
    const page = await fetch(`${stack.origin}/metrics`).then((response) => response.text());
    const found = page.split('\n').find((text) => text.startsWith(`${series} `));
    return found === undefined ? undefined : Number(found.slice(series.length + 1));
  };

  it('queue metrics show how many jobs wait and for how long, and 0 after a worker has run them', async () => {
    const { client } = await stack.createTenant();
    addQueueGauges(stack.runtime, openWritesQueue(stack.runtime));
    for (let n = 0; n < 2; n += 1)
      expect((await client.post('/invoices', invoiceInput())).status).to.equal(202);
    expect(await readGauge(WAITING)).to.be.at.least(2);
    // The second request was sent after the first had timed out. So the first job has waited for at
    // least 0.1 s.
    expect(await readGauge(OLDEST)).to.be.at.least(0.1);
    startWritesWorker(stack.runtime);
    await eventually(
      'no job waits',
      async () => (await readGauge(WAITING)) === 0 && (await readGauge(OLDEST)) === 0,
    );
  });
});
