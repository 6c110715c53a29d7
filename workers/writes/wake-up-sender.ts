import type { Runtime } from '../../shared/platform/process/runtime.js';
import { type ExportsQueue, openExportsQueue, promptExports } from '../../shared/queues/exports.js';
import { type MessagesQueue, openMessagesQueue, promptMessages } from '../../shared/queues/messages.js';
import {
  type EndpointQueueRef,
  endpointQueueKey,
  openWebhooksQueue,
  wakeEndpointQueues,
} from '../../shared/queues/webhooks.js';
import type { CompletedCommand } from './completed-command.js';
import type { CommittedBatch } from './run-batch.js';

/**
 * Creates a function that adds wake-up jobs for the other workers immediately after a batch. The
 * clock replaces a lost wake-up job. Without a mail server no message is ever queued, so the
 * messages queue is not opened.
 */
export function createWakeUpSender(runtime: Runtime): (committed: CommittedBatch) => void {
  const { logger } = runtime;
  const messages = runtime.config.smtpUrl ? openMessagesQueue(runtime) : undefined;
  const webhooks = openWebhooksQueue(runtime);
  const exports = openExportsQueue(runtime);
  const logLost = (queueName: string) => (error: unknown) =>
    logger.warn({ err: error }, `could not add wake-up jobs for ${queueName}; the clock will`);
  return ({ completed, endpointQueues }) => {
    if (messages) promptQueuedMessages(messages, completed).catch(logLost('messages'));
    promptQueuedExports(exports, completed).catch(logLost('exports'));
    const woken = deduplicate([...endpointQueues, ...listWokenEndpoints(completed)]);
    if (woken.length > 0) wakeEndpointQueues(webhooks, woken).catch(logLost('webhooks'));
  };
}

function promptQueuedMessages(queue: MessagesQueue, completed: CompletedCommand[]): Promise<void> {
  const prompts = completed.flatMap(({ command: { tenantId }, outcome }) =>
    ((outcome.ok && outcome.queuedMessageIds) || []).map((messageId) => ({
      tenantId,
      messageId,
      attempts: 0,
    })),
  );
  return promptMessages(queue, prompts);
}

function promptQueuedExports(queue: ExportsQueue, completed: CompletedCommand[]): Promise<void> {
  const refs = completed.flatMap(({ command: { tenantId }, outcome }) =>
    ((outcome.ok && outcome.queuedExportIds) || []).map((exportId) => ({ tenantId, exportId })),
  );
  return promptExports(queue, refs);
}

function listWokenEndpoints(completed: CompletedCommand[]): EndpointQueueRef[] {
  return completed.flatMap(({ command: { tenantId }, outcome }) =>
    ((outcome.ok && outcome.endpointIdsToWake) || []).map((endpointId) => ({ tenantId, endpointId })),
  );
}

function deduplicate(endpointQueues: EndpointQueueRef[]): EndpointQueueRef[] {
  return [...new Map(endpointQueues.map((queue) => [endpointQueueKey(queue), queue])).values()];
}
