import type { Processor } from 'bullmq';
import type { Command } from '../../shared/contracts/command.js';
import { systemCommand } from '../../shared/contracts/system-command.js';
import { isTransientDatabaseError } from '../../shared/platform/errors.js';
import { failpoint } from '../../shared/platform/failpoints.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import { type MessageJob, type MessagesQueue, promptMessages } from '../../shared/queues/messages.js';
import { enqueueBatch, type WritesQueue } from '../../shared/queues/writes.js';
import { pdfFileName } from '../../shared/resources/invoices/document.js';
import { renderPdf } from '../../shared/resources/invoices/pdf.js';
import { isWithCustomer } from '../../shared/resources/invoices/transitions.js';
import { recordMessageFailed, recordMessageSent } from '../../shared/resources/messages/commands.js';
import {
  type ClaimedMessage,
  claimMessage,
  noteAccepted,
  postponeMessage,
} from '../../shared/resources/messages/outbox.js';
import { DeliveryError, type OutgoingMessage } from '../../shared/resources/messages/provider.js';
import type { Providers } from './providers.js';

/** A provider that has not answered by then is taken for one that did not accept. */
const SEND_DEADLINE_MS = 120_000;
/** Longer than the deadline, so that no other worker offers the same message meanwhile. */
const LEASE_SECONDS = 180;
/** Waits between attempts, 15 minutes in all. */
const RETRY_AFTER_SECONDS = [60, 120, 240, 480];
const MAX_ATTEMPTS = RETRY_AFTER_SECONDS.length + 1;
const STORE_RETRY_MS = 500;

export interface MessageQueues {
  writes: WritesQueue;
  messages: MessagesQueue;
}

type Result = { outcome: 'accepted' } | { outcome: 'refused' | 'later'; reason: string };

/**
 * Offers one message to its provider. What comes of it goes the way of all writes, as a command; the row alone says what is still to be done, so a worker
 * that dies at any point costs at most a second copy with the same Message-ID.
 */
export function createMessagesProcessor(
  runtime: Runtime,
  providers: Providers,
  queues: MessageQueues,
): Processor<MessageJob> {
  return async (job) => {
    const { tenantId: tenant_id, messageId: id } = job.data;
    const message = await claimMessage(runtime.db, { tenant_id, id }, LEASE_SECONDS);
    if (!message) return;
    const startedAt = performance.now();
    const result = message.accepted
      ? ({ outcome: 'accepted' } as const)
      : await offer(runtime, providers, message);
    if (result.outcome === 'accepted' && !message.accepted) {
      failpoint(runtime.config, 'after_accepted');
      await untilStored(() => noteAccepted(runtime.db, message));
    }
    await followUp(runtime, queues, { message, result });
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

async function offer({ logger }: Runtime, providers: Providers, message: ClaimedMessage): Promise<Result> {
  const { invoice_status: status, provider: name, attempts } = message;
  // Every attempt counts that was begun: a message that kills its worker each time comes to an end too.
  if (attempts > MAX_ATTEMPTS) return { outcome: 'refused', reason: 'Its delivery broke off repeatedly.' };
  if (status === 'void' || status === 'cancelled')
    return { outcome: 'refused', reason: `The invoice was ${status} before the message left.` };
  // Denied, disputed or failed meanwhile and being rewritten: what this message says is no longer so.
  if (!isWithCustomer(status))
    return { outcome: 'refused', reason: 'The invoice was taken back before the message left.' };
  const provider = providers[name];
  // A newer version's, which is being rolled out: it knows what to do.
  if (!provider) return { outcome: 'later', reason: `Nobody here knows the provider ${name}.` };
  try {
    await withDeadline(provider.send(await outgoing(message)));
    return { outcome: 'accepted' };
  } catch (error) {
    if (!(error instanceof DeliveryError)) {
      logger.error({ err: error, messageId: message.id }, 'a message could not be prepared');
      return { outcome: 'later', reason: 'Something went wrong on our side.' };
    }
    return { outcome: error.permanent ? 'refused' : 'later', reason: error.message };
  }
}

async function outgoing(message: ClaimedMessage): Promise<OutgoingMessage> {
  const { id, document, recipient, subject, body_text: text, body_html: html } = message;
  const attachment =
    message.channel === 'email'
      ? { filename: pdfFileName(document), content: await renderPdf(document) }
      : undefined;
  return { id, sender: document.sender, recipient, subject, text, html, attachment };
}

async function withDeadline(sending: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new DeliveryError('The provider did not answer in time.', false);
    timer = setTimeout(() => reject(error), SEND_DEADLINE_MS);
  });
  await Promise.race([sending, late]).finally(() => clearTimeout(timer));
}

/** Asks again while PostgreSQL is away, as long as the lease lasts: forgetting an acceptance would mean a second copy. */
async function untilStored(store: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + LEASE_SECONDS * 1000 - SEND_DEADLINE_MS;
  for (;;) {
    try {
      return await store();
    } catch (error) {
      if (!isTransientDatabaseError(error) || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, STORE_RETRY_MS));
    }
  }
}

async function followUp(
  { db }: Runtime,
  { writes, messages }: MessageQueues,
  { message, result }: { message: ClaimedMessage; result: Result },
): Promise<void> {
  const { tenant_id: tenantId, id: messageId, attempts } = message;
  if (result.outcome === 'accepted')
    return enqueueBatch(writes, [commandOn(message, recordMessageSent.type, {})], null);
  const { reason } = result;
  const seconds = RETRY_AFTER_SECONDS[attempts - 1];
  if (result.outcome === 'refused' || seconds === undefined)
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
