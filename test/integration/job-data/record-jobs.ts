/**
 * Records one job of each queue as JSON. To record those of a released version, copy this file into
 * a checkout of it, run `npx tsx test/integration/job-data/record-jobs.ts` there, and copy the
 * output to released-jobs.json here.
 */
import type { Queue } from 'bullmq';
import { openClockQueue } from '../../../shared/queues/clock.js';
import { openExportsQueue } from '../../../shared/queues/exports.js';
import { openIntegrationsQueue, wakeConnectionQueues } from '../../../shared/queues/integrations.js';
import { openMessagesQueue } from '../../../shared/queues/messages.js';
import { openWebhooksQueue } from '../../../shared/queues/webhooks.js';
import { openWritesQueue } from '../../../shared/queues/writes.js';
import { eventually } from '../../support/poll.js';
import { createInvoiceAfter } from '../../support/records/lifecycle-records.js';
import { endpointInput, invoiceInput } from '../../support/records/samples.js';
import { TestStack } from '../../support/stack.js';
import { stopStores } from '../../support/stores.js';

const stack = await TestStack.start({
  environment: {
    WRITE_TIMEOUT_MS: '500',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'billing@example.com',
    BASE_URL: 'https://tow.example.com',
  },
});
const tenant = await stack.createTenant('Recorded Towing');
const { runtime } = stack;
const queues: Record<string, Queue> = {
  writes: openWritesQueue(runtime),
  webhooks: openWebhooksQueue(runtime),
  messages: openMessagesQueue(runtime),
  exports: openExportsQueue(runtime),
  integrations: openIntegrationsQueue(runtime),
  clock: openClockQueue(runtime),
};
for (const [name, queue] of Object.entries(queues)) if (name !== 'writes') await queue.pause();
const takeJob = (name: string) =>
  eventually(`a job of ${name}`, async () => {
    const [job] = await (queues[name] as Queue).getJobs();
    return job && { queue: name, name: job.name, data: job.data };
  });

await tenant.client.post('/webhook-endpoints', endpointInput());
const invoiceId = await createInvoiceAfter(tenant.client, ['approve', 'send']);
await tenant.client.post('/exports', { resource: 'invoices', format: 'csv' });
await wakeConnectionQueues(openIntegrationsQueue(runtime), [
  { tenantId: tenant.id, connectionId: invoiceId },
]);
await queues.writes?.pause();
await tenant.client.post('/invoices', invoiceInput());
const jobs = [];
for (const name of Object.keys(queues)) jobs.push(await takeJob(name));
process.stdout.write(`${JSON.stringify({ tenantId: tenant.id, jobs }, null, 2)}\n`);
await stack.stop();
await stopStores();
process.exit(0);
