import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Queue } from 'bullmq';
import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { openClockQueue } from '../../../shared/queues/clock.js';
import { openExportsQueue } from '../../../shared/queues/exports.js';
import { openIntegrationsQueue, wakeConnectionQueues } from '../../../shared/queues/integrations.js';
import { openMessagesQueue } from '../../../shared/queues/messages.js';
import { openWebhooksQueue } from '../../../shared/queues/webhooks.js';
import { openWritesQueue } from '../../../shared/queues/writes.js';
import { MailServer } from '../../support/network/mail-server.js';
import { eventually } from '../../support/poll.js';
import { createInvoiceAfter } from '../../support/records/lifecycle-records.js';
import { endpointInput, invoiceInput } from '../../support/records/samples.js';
import { TestStack, type TestTenant } from '../../support/stack.js';
import { startHttpReceiver } from '../../support/webhooks/receivers.js';

type Data = Record<string, unknown>;
interface ReleasedJob {
  queue: string;
  name: string;
  data: Data;
}

const FILE = join(import.meta.dirname, 'released-jobs.json');

/**
 * While one version replaces another, workers of each run the jobs of the other. The jobs of the
 * released version are recorded in a file (record-jobs.ts).
 */
describe('jobs of the released version', () => {
  const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as { tenantId: string; jobs: ReleasedJob[] };
  let mailServer: MailServer;
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    mailServer = await MailServer.start();
    stack = await TestStack.start({
      exports: true,
      webhooks: true,
      clock: true,
      environment: {
        WRITE_TIMEOUT_MS: '500',
        WEBHOOK_ALLOW_LOOPBACK: 'true',
        SMTP_URL: mailServer.url,
        MAIL_FROM: 'hello@tow.example.com',
        BASE_URL: 'https://tow.example.com',
      },
    });
    tenant = await stack.createTenant();
    // The clock would find due work by itself.
    await openClockQueue(stack.runtime).pause();
  });
  after(async () => {
    await stack?.stop();
    await mailServer?.stop();
  });

  const getReleased = (queue: string, replaced: Data = {}): ReleasedJob => {
    const job = recorded.jobs.find((one) => one.queue === queue);
    if (!job) throw new Error(`no job of ${queue} is recorded`);
    const text = JSON.stringify(job.data, (name, value) => (name in replaced ? replaced[name] : value));
    return { ...job, data: JSON.parse(text.replaceAll(recorded.tenantId, tenant.id)) as Data };
  };

  /**
   * Runs `work` while the queue is paused, and replaces the job that it adds by the released one
   * with the same ids.
   */
  const replaceJob = async (queue: Queue, name: string, work: () => Promise<Data>): Promise<void> => {
    await queue.pause();
    try {
      const ids = await work();
      const [added] = await eventually(`a job of ${name}`, async () => {
        const jobs = (await queue.getJobs()).filter((job) => JSON.stringify(job.data).includes(tenant.id));
        return jobs.length > 0 && jobs;
      });
      const released = getReleased(name, ids);
      expectMembers(released.data, added?.data as Data, name);
      for (const job of await queue.getJobs()) await job.remove();
      await queue.add(released.name, released.data, { jobId: newId() });
    } finally {
      await queue.resume();
    }
  };

  it('a released write is stored, and its worker can read the writes of this version', async () => {
    const ids = { id: newId(), entityId: newId(), invoice_number: 'INV-RELEASED' };
    await replaceJob(openWritesQueue(stack.runtime), 'writes', async () => {
      const { status } = await tenant.client.post('/invoices', invoiceInput());
      expect(status).to.equal(202);
      return ids;
    });
    const { body } = await eventually('the released write to be stored', async () => {
      const response = await tenant.client.get(`/invoices/${ids.entityId}`);
      return response.status === 200 && response;
    });
    expect(body).to.include({ id: ids.entityId, invoice_number: 'INV-RELEASED', total_cents: 10_000 });
  });

  it('a released wake-up of an endpoint queue sends its deliveries', async () => {
    let requests = 0;
    const respond = (_request: unknown, response: ServerResponse) => {
      requests += 1;
      response.end();
    };
    const { url } = await startHttpReceiver(respond, { address: '127.0.0.1' });
    const { body: endpoint } = await tenant.client.post('/webhook-endpoints', endpointInput({ url }));
    await replaceJob(openWebhooksQueue(stack.runtime), 'webhooks', async () => {
      await tenant.client.post('/invoices', invoiceInput());
      return { endpointId: endpoint.id };
    });
    await eventually('a delivery', async () => requests > 0);
  });

  it('a released wake-up of messages sends the mail of an invoice', async () => {
    const billing_email = `${newId()}@example.com`;
    await replaceJob(openMessagesQueue(stack.runtime), 'messages', async () => {
      const invoiceId = await createInvoiceAfter(tenant.client, ['approve', 'send'], { billing_email });
      const [message] = await stack.rows<{ id: string }>(
        tenant.id,
        'select id from messages where tenant_id = $1 and invoice_id = $2',
        [tenant.id, invoiceId],
      );
      return { messageId: message?.id };
    });
    await eventually('the mail', async () =>
      mailServer.accepted.some(({ to }) => to.includes(billing_email)),
    );
  });

  it('a released export job writes the export', async () => {
    let exportId = '';
    await replaceJob(openExportsQueue(stack.runtime), 'exports', async () => {
      exportId = (await tenant.client.post('/exports', { resource: 'invoices', format: 'csv' })).body.id;
      return { exportId };
    });
    await eventually('the export to complete', async () => {
      const { body } = await tenant.client.get(`/exports/${exportId}`);
      return body.status === 'completed';
    });
  });

  it('a released job of the clock records when a key was used', async () => {
    const { body: key } = await tenant.client.post('/api-keys', { name: 'Released', permissions: ['read'] });
    const released = getReleased('clock', { id: key.id });
    const queue = openClockQueue(stack.runtime);
    await queue.add(released.name, released.data, { jobId: newId() });
    await queue.resume();
    const [{ at }] = released.data.uses as [{ at: string }];
    await eventually('the use to be recorded', async () => {
      const { body } = await tenant.client.get(`/api-keys/${key.id}`);
      return body.last_used_at === at;
    });
  });

  it('a released worker can read the wake-ups of connections of this version', async () => {
    const queue = openIntegrationsQueue(stack.runtime);
    // No worker of this stack calls vendors, so the job waits.
    await wakeConnectionQueues(queue, [{ tenantId: tenant.id, connectionId: newId() }]);
    const [added] = await queue.getJobs();
    expectMembers(getReleased('integrations').data, added?.data as unknown as Data, 'integrations');
  });
});

/**
 * Asserts that a released worker finds each member that it knows, with a value of the same kind.
 * This version may add members.
 */
function expectMembers(released: unknown, current: unknown, path: string): void {
  if (released === null || current === null) return;
  expect(kindOf(current), path).to.equal(kindOf(released));
  if (Array.isArray(released)) {
    expectMembers(released[0] ?? null, (current as unknown[])[0] ?? null, `${path}[0]`);
    return;
  }
  if (typeof released !== 'object') return;
  for (const [name, value] of Object.entries(released as Data)) {
    expect(current as Data, path).to.have.property(name);
    expectMembers(value, (current as Data)[name], `${path}.${name}`);
  }
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}
