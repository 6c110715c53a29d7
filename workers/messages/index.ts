import type { Processor } from 'bullmq';
import type { Runtime } from '../../shared/platform/runtime.js';
import { openWorker } from '../../shared/queues/backend.js';
import { MESSAGES_QUEUE, type MessageJob, NOTIFY, openMessagesQueue } from '../../shared/queues/messages.js';
import { openWritesQueue } from '../../shared/queues/writes.js';
import { openInvoicePdfs } from '../../shared/resources/invoices/pdf/invoice-pdfs.js';
import { createNoticeMailer } from './notice-mails.js';
import { createMessagesProcessor } from './processor.js';
import { createProviders } from './providers.js';

/** Messages that one process hands over at once: mail servers dislike more connections from one address. */
const CONCURRENCY = 4;

/** Starts delivering messages. */
export function startMessagesWorker(runtime: Runtime): void {
  const messages = openMessagesQueue(runtime);
  const writes = openWritesQueue(runtime);
  const providers = createProviders(runtime.config);
  const deliver = createMessagesProcessor(runtime, providers, {
    writes,
    messages,
    pdfs: openInvoicePdfs(runtime),
  });
  const notify = createNoticeMailer(runtime, providers);
  const processor: Processor<MessageJob> = (job) => (job.name === NOTIFY ? notify(job) : deliver(job));
  openWorker<MessageJob>(runtime, MESSAGES_QUEUE, processor, { concurrency: CONCURRENCY });
}
