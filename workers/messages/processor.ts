import type { Processor } from 'bullmq';
import type { Command } from '../../shared/contracts/command.js';
import { systemCommand } from '../../shared/contracts/system-command.js';
import { failpoint } from '../../shared/platform/failpoints.js';
import { TooManyWaitingError } from '../../shared/platform/fair-limit.js';
import type { Database } from '../../shared/platform/postgres.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import { type MessageJob, type MessagesQueue, promptMessages } from '../../shared/queues/messages.js';
import { enqueueBatch, type WritesQueue } from '../../shared/queues/writes.js';
import { pdfFileName } from '../../shared/resources/invoices/document.js';
import { LOGO_CONTENT_ID, removeLogo } from '../../shared/resources/invoices/message.js';
import type { InvoicePdfs } from '../../shared/resources/invoices/pdf/invoice-pdfs.js';
import { isWithCustomer } from '../../shared/resources/invoices/transitions.js';
import { recordMessageFailed, recordMessageSent } from '../../shared/resources/messages/commands.js';
import { type HeldMail, takeMailOfDay } from '../../shared/resources/messages/mail-day.js';
import {
  type ClaimedMessage,
  claimMessage,
  holdMessage,
  noteAccepted,
  postponeMessage,
} from '../../shared/resources/messages/outbox.js';
import { DeliveryError, type OutgoingMessage } from '../../shared/resources/messages/provider.js';
import { readLogo } from '../../shared/resources/settings/logo-queries.js';
import { handOver, LEASE_SECONDS, type Result, retryAfter, untilStored } from './hand-over.js';
import type { Providers } from './providers.js';

/** What a message needs beside its provider. */
export interface MessageParts {
  writes: WritesQueue;
  messages: MessagesQueue;
  pdfs: InvoicePdfs;
}

/**
 * Offers one message to its provider. What comes of it goes the way of all writes, as a command; the row alone says what is still to be done, so a worker
 * that dies at any point costs at most a second copy with the same Message-ID.
 */
export function createMessagesProcessor(
  runtime: Runtime,
  providers: Providers,
  parts: MessageParts,
): Processor<MessageJob> {
  return async (job) => {
    const { tenantId: tenant_id, messageId: id } = job.data;
    const message = await claimMessage(runtime.db, { tenant_id, id }, LEASE_SECONDS);
    if (!message) return;
    const startedAt = performance.now();
    const refusal = refusalOf(message);
    const held = refusal ? undefined : await heldMail(runtime, message);
    if (held) {
      await holdMessage(runtime.db, message, held);
      runtime.logger.info({ messageId: id, tenant: tenant_id, ...held }, 'message held');
      return;
    }
    const result = message.accepted
      ? ({ outcome: 'accepted' } as const)
      : (refusal ?? (await offer(runtime, { providers, pdfs: parts.pdfs }, message)));
    if (result.outcome === 'accepted' && !message.accepted) {
      failpoint(runtime.config, 'after_accepted');
      await untilStored(() => noteAccepted(runtime.db, message));
    }
    await followUp(runtime, parts, { message, result });
    runtime.logger.info(
      {
        messageId: id,
        tenant: tenant_id,
        channel: message.channel,
        provider: message.provider,
        attempt: message.attempts,
        ...result,
        ms: Math.round(performance.now() - startedAt),
      },
      'message',
    );
  };
}

/** A message that was offered before has been counted, whatever came of it. */
async function heldMail(
  { db, config }: Runtime,
  { tenant_id: tenantId, attempts, accepted }: ClaimedMessage,
): Promise<HeldMail | undefined> {
  return accepted || attempts > 1 ? undefined : takeMailOfDay(db, tenantId, config.mailsPerDay);
}

/** Why a message is not to leave any more. It is asked before the mails of the day are counted. */
function refusalOf({ accepted, invoice_status: status }: ClaimedMessage): Result | undefined {
  if (accepted) return undefined;
  if (status === 'void' || status === 'cancelled')
    return { outcome: 'refused', reason: `The invoice was ${status} before the message left.` };
  // Denied, disputed or failed meanwhile and being rewritten: what this message says is no longer so.
  if (!isWithCustomer(status))
    return { outcome: 'refused', reason: 'The invoice was taken back before the message left.' };
  return undefined;
}

function offer(
  { db, logger }: Runtime,
  { providers, pdfs }: { providers: Providers; pdfs: InvoicePdfs },
  message: ClaimedMessage,
): Promise<Result> {
  const { id, provider, attempts } = message;
  return handOver(
    { id, provider, attempts, prepare: () => outgoing(message, { db, pdfs }) },
    { providers, logger },
  );
}

async function outgoing(
  message: ClaimedMessage,
  { db, pdfs }: { db: Database; pdfs: InvoicePdfs },
): Promise<OutgoingMessage> {
  const { id, tenant_id: tenantId, document, recipient, subject, body_text: text, body_html: html } = message;
  const mail = { id, sender: document.sender, recipient, subject, text, html };
  if (message.channel !== 'email') return { ...mail, attachment: undefined };
  const content = await pdfs.get({ tenantId, document }).catch((error: unknown) => {
    if (!(error instanceof TooManyWaitingError)) throw error;
    throw new DeliveryError('Too many PDFs were being made at that moment.', false, error);
  });
  const attachment = { filename: pdfFileName(document), content };
  // The HTML was written when the invoice was sent; the logo it names may be gone by now.
  const logo = html && removeLogo(html) !== html ? await readLogo(db, tenantId) : undefined;
  if (!logo) return { ...mail, html: html && removeLogo(html), attachment };
  const picture = { contentId: LOGO_CONTENT_ID, contentType: logo.content_type, content: logo.data };
  return { ...mail, attachment, picture };
}

async function followUp(
  { db }: Runtime,
  { writes, messages }: MessageParts,
  { message, result }: { message: ClaimedMessage; result: Result },
): Promise<void> {
  const { tenant_id: tenantId, id: messageId, attempts } = message;
  if (result.outcome === 'accepted')
    return enqueueBatch(writes, [commandOn(message, recordMessageSent.type, {})], null);
  const { reason } = result;
  const seconds = retryAfter(result, attempts);
  if (seconds === undefined)
    return enqueueBatch(writes, [commandOn(message, recordMessageFailed.type, { reason })], null);
  await postponeMessage(db, message, { reason, seconds });
  await promptMessages(messages, [{ tenantId, messageId, attempts, delayMs: seconds * 1000 }]);
}

/** A command about a message; run a second time it changes nothing. */
function commandOn(
  { tenant_id: tenantId, id: entityId }: ClaimedMessage,
  type: string,
  input: unknown,
): Command {
  return systemCommand({ type, tenantId, environment: 'live', name: 'messages', entityId, input });
}
