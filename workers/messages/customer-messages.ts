import { failpoint } from '../../shared/config/failpoints.js';
import type { Command } from '../../shared/contracts/command.js';
import { createSystemCommand } from '../../shared/contracts/system-command.js';
import { pdfFileName } from '../../shared/documents/document.js';
import { LOGO_CONTENT_ID, removeLogo } from '../../shared/documents/invoice-message.js';
import { readLogo } from '../../shared/documents/logo-queries.js';
import type { InvoicePdfs } from '../../shared/documents/pdf/invoice-pdfs.js';
import type { OutgoingMessage } from '../../shared/integrations/contract/messaging.js';
import { TooManyWaitingError } from '../../shared/platform/limits/fair-limit.js';
import type { Database } from '../../shared/platform/postgres/database.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { type MessagesQueue, promptMessages } from '../../shared/queues/messages.js';
import { enqueueBatch, type WritesQueue } from '../../shared/queues/writes.js';
import { recordMessageFailed, recordMessageSent } from '../../shared/resources/messages/commands.js';
import {
  type LeasedMessage,
  leaseNextMessage,
  readInvoiceDocument,
} from '../../shared/resources/messages/outbox.js';
import { postponeMessage, recordAcceptance } from '../../shared/resources/planned-messages/store.js';
import type { LeaseNextMail } from './fair-mail-queue.js';
import {
  getRetryWait,
  MESSAGE_LEASE_SECONDS,
  NotReadyError,
  type OfferResult,
  offerToProvider,
  retryUntilStored,
} from './offer-to-provider.js';
import type { Providers } from './providers.js';

export interface MessageServices {
  writes: WritesQueue;
  messages: MessagesQueue;
  pdfs: InvoicePdfs;
}

/**
 * Creates a function that leases an account's due message with the earliest due time. That function
 * returns a second function. The second function offers the message to its provider and submits the
 * outcome as a command. If a worker dies, the message stays due. The customer may then get a second
 * copy with the same Message-ID.
 */
export function createMessageLeaser(
  runtime: Runtime,
  providers: Providers,
  parts: MessageServices,
): LeaseNextMail {
  const { db, logger, config } = runtime;
  return async (tenantId) => {
    const leaseRequestedAt = performance.now();
    const terms = { leaseSeconds: MESSAGE_LEASE_SECONDS, mailsPerDay: config.mailsPerDay };
    const message = await leaseNextMessage(db, tenantId, terms);
    if (!message) return undefined;
    return async () => {
      const { id: messageId, channel, provider, attempts, deferral } = message;
      const logFields = { messageId, tenant: tenantId };
      if (deferral) return logger.info({ ...logFields, ...deferral }, 'message postponed to the next day');
      const result = await offer(runtime, { providers, pdfs: parts.pdfs }, { message, leaseRequestedAt });
      await storeResult(runtime, parts, { message, leaseRequestedAt, result });
      const ms = Math.round(performance.now() - leaseRequestedAt);
      logger.info({ ...logFields, channel, provider, attempt: attempts, ...result, ms }, 'message');
    };
  };
}

async function offer(
  { db, logger, config }: Runtime,
  { providers, pdfs }: { providers: Providers; pdfs: InvoicePdfs },
  { message, leaseRequestedAt }: { message: LeasedMessage; leaseRequestedAt: number },
): Promise<OfferResult> {
  const { id, provider, attempts, accepted, refusal } = message;
  if (accepted) return { outcome: 'accepted' };
  if (refusal !== undefined) return { outcome: 'refused', reason: refusal };
  const prepare = () => buildOutgoingMessage(message, { db, pdfs });
  const result = await offerToProvider(
    { id, provider, attempts, leaseRequestedAt: leaseRequestedAt, prepare },
    { providers, logger },
  );
  if (result.outcome === 'accepted') {
    failpoint(config, 'after_accepted');
    await retryUntilStored(leaseRequestedAt, () => recordAcceptance(db, message));
  }
  return result;
}

async function buildOutgoingMessage(
  message: LeasedMessage,
  { db, pdfs }: { db: Database; pdfs: InvoicePdfs },
): Promise<OutgoingMessage> {
  const { id, tenant_id: tenantId, recipient, subject, body_text: text, body_html: html } = message;
  const document = await readInvoiceDocument(db, message);
  const mail = { id, sender: document.sender, recipient, subject, text, html };
  if (message.channel !== 'email') return { ...mail, attachment: undefined };
  const content = await pdfs.get({ tenantId, document }).catch((error: unknown) => {
    if (!(error instanceof TooManyWaitingError)) throw error;
    throw new NotReadyError('Too many PDFs were being created at that moment.');
  });
  const attachment = { filename: pdfFileName(document), content };
  // The HTML was rendered when the invoice was sent. If the account has removed its logo since
  // then, remove it from the HTML too.
  const logo = html && removeLogo(html) !== html ? await readLogo(db, tenantId) : undefined;
  if (!logo) return { ...mail, html: html && removeLogo(html), attachment };
  const picture = { contentId: LOGO_CONTENT_ID, contentType: logo.content_type, content: logo.data };
  return { ...mail, attachment, picture };
}

async function storeResult(
  { db }: Runtime,
  { writes, messages }: MessageServices,
  {
    message,
    leaseRequestedAt,
    result,
  }: { message: LeasedMessage; leaseRequestedAt: number; result: OfferResult },
): Promise<void> {
  const { tenant_id: tenantId, id: messageId, attempts } = message;
  if (result.outcome === 'accepted')
    return enqueueBatch(writes, [buildCommand(message, recordMessageSent.type, {})], null);
  const { reason } = result;
  const wait = getRetryWait(result, attempts);
  if (!wait) return enqueueBatch(writes, [buildCommand(message, recordMessageFailed.type, { reason })], null);
  await retryUntilStored(leaseRequestedAt, () => postponeMessage(db, message, { reason, ...wait }));
  const attemptsSoFar = wait.wasOffered ? attempts : attempts - 1;
  await promptMessages(messages, [
    { tenantId, messageId, attempts: attemptsSoFar, delayMs: wait.seconds * 1000 },
  ]);
}

/** Builds a command that records the outcome of a message. A repeated command changes nothing. */
function buildCommand(
  { tenant_id: tenantId, id: entityId }: LeasedMessage,
  type: string,
  input: unknown,
): Command {
  return createSystemCommand({ type, tenantId, environment: 'live', name: 'messages', entityId, input });
}
