import { openInvoicePdfs } from '../../shared/documents/pdf/invoice-pdfs.js';
import type { Vendors } from '../../shared/integrations/contract/vendor.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { openWorker } from '../../shared/queues/backend.js';
import {
  ACCESS_MAIL_JOB,
  MESSAGES_QUEUE,
  type MessageJob,
  NOTICE_MAIL_JOB,
  openMessagesQueue,
} from '../../shared/queues/messages.js';
import { openWritesQueue } from '../../shared/queues/writes.js';
import { createAccessMailLeaser } from './access-mails.js';
import { createMessageLeaser } from './customer-messages.js';
import { FairMailQueue, type MailKind } from './fair-mail-queue.js';
import { createNoticeMailLeaser } from './notice-mails.js';
import { createProviders } from './providers.js';

/**
 * Maximum number of concurrent jobs. Few are enough, because a job only adds an account to the mail
 * queue.
 */
const CONCURRENCY = 4;

/** Maps the name of a wake-up job to its kind of mail. Any other name means `messages`. */
const KINDS: Readonly<Record<string, MailKind>> = {
  [NOTICE_MAIL_JOB]: 'notices',
  [ACCESS_MAIL_JOB]: 'access',
};

export function startMessagesWorker(runtime: Runtime, vendors: Vendors): void {
  const messages = openMessagesQueue(runtime);
  const writes = openWritesQueue(runtime);
  const providers = createProviders(runtime.config, vendors);
  const pdfs = openInvoicePdfs(runtime);
  const mailQueue = new FairMailQueue(runtime, {
    messages: createMessageLeaser(runtime, providers, { writes, messages, pdfs }),
    notices: createNoticeMailLeaser(runtime, providers),
    access: createAccessMailLeaser(runtime, providers),
  });
  runtime.lifecycle.onClose('running mail deliveries', () => mailQueue.close());
  openWorker<MessageJob>(
    runtime,
    MESSAGES_QUEUE,
    async ({ name, data }) => mailQueue.wake(data.tenantId, KINDS[name] ?? 'messages'),
    { concurrency: CONCURRENCY },
  );
}
