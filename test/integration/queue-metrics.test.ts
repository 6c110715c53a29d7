import { expect } from 'chai';
import { addQueueGauges } from '../../shared/queues/gauges.js';
import { openWritesQueue } from '../../shared/queues/writes.js';
import { startWritesWorker } from '../../workers/writes/index.js';
import { eventually } from '../support/poll.js';
import { invoiceInput } from '../support/samples.js';
import { TestStack } from '../support/stack.js';

const WAITING = 'tow_queue_jobs{queue="writes",state="waiting"}';
const OLDEST = 'tow_queue_oldest_waiting_seconds{queue="writes"}';

describe('queue metrics', () => {
  let stack: TestStack;

  before(async () => {
    stack = await TestStack.start({ worker: false, environment: { WRITE_TIMEOUT_MS: '100' } });
  });
  after(() => stack.stop());

  /** The value of one line of /metrics; undefined when it is not there. */
  const gauge = async (line: string): Promise<number | undefined> => {
    const page = await fetch(`${stack.origin}/metrics`).then((response) => response.text());
    const found = page.split('\n').find((text) => text.startsWith(`${line} `));
    return found === undefined ? undefined : Number(found.slice(line.length + 1));
  };

  it('show how many jobs wait and since when, and nothing once a worker took them', async () => {
    const { client } = await stack.createTenant();
    addQueueGauges(stack.runtime, openWritesQueue(stack.runtime));
    for (let n = 0; n < 2; n += 1)
      expect((await client.post('/invoices', invoiceInput())).status).to.equal(202);
    expect(await gauge(WAITING)).to.be.at.least(2);
    // The first of them had waited its whole write timeout before the second was sent.
    expect(await gauge(OLDEST)).to.be.at.least(0.1);
    startWritesWorker(stack.runtime);
    await eventually('no job waits', async () => (await gauge(WAITING)) === 0 && (await gauge(OLDEST)) === 0);
  });
});
