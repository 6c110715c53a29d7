import type { Runtime } from '../../shared/platform/runtime.js';
import { openWorker } from '../../shared/queues/backend.js';
import { MESSAGES_QUEUE, type MessageJob, NOTIFY, openMessagesQueue } from '../../shared/queues/messages.js';
import { openWritesQueue } from '../../shared/queues/writes.js';
import { openInvoicePdfs } from '../../shared/resources/invoices/pdf/invoice-pdfs.js';
import { createMessageClaims } from './customer-messages.js';
import { MailTurns } from './mail-turns.js';
import { createNoticeClaims } from './notice-mails.js';
import { createProviders } from './providers.js';

/** Low, because a job only adds an account to the mail queue. */
const CONCURRENCY = 4;

/** Starts the worker that sends messages and mails of notices. */
export function startMessagesWorker(runtime: Runtime): void {
  const messages = openMessagesQueue(runtime);
  const writes = openWritesQueue(runtime);
  const providers = createProviders(runtime.config);
  const pdfs = openInvoicePdfs(runtime);
  const mailQueue = new MailTurns(runtime, {
    messages: createMessageClaims(runtime, providers, { writes, messages, pdfs }),
    notices: createNoticeClaims(runtime, providers),
  });
  runtime.lifecycle.onClose('running mail deliveries', () => mailQueue.close());
  openWorker<MessageJob>(
    runtime,
    MESSAGES_QUEUE,
    async ({ name, data }) => mailQueue.wake(data.tenantId, name === NOTIFY ? 'notices' : 'messages'),
    { concurrency: CONCURRENCY },
  );
}
