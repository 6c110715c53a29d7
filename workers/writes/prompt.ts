import type { Runtime } from '../../shared/platform/runtime.js';
import { type ExportsQueue, openExportsQueue, promptExports } from '../../shared/queues/exports.js';
import { type MessagesQueue, openMessagesQueue, promptMessages } from '../../shared/queues/messages.js';
import { type LaneRef, laneKey, openWebhooksQueue, wakeLanes } from '../../shared/queues/webhooks.js';
import type { Settled } from './record.js';
import type { Committed } from './run-batch.js';

/**
 * Creates a function that adds wake-up jobs for the other workers immediately after a batch. The
 * clock replaces a lost wake-up job. Without a mail server no message is ever queued, so the
 * messages queue is not opened.
 */
export function createPrompter(runtime: Runtime): (committed: Committed) => void {
  const { logger } = runtime;
  const messages = runtime.config.smtpUrl ? openMessagesQueue(runtime) : undefined;
  const webhooks = openWebhooksQueue(runtime);
  const exports = openExportsQueue(runtime);
  const logLost = (queueName: string) => (error: unknown) =>
    logger.warn({ err: error }, `could not add wake-up jobs for ${queueName}; the clock will`);
  return ({ settled: completed, lanes: endpointQueues }) => {
    if (messages) promptQueuedMessages(messages, completed).catch(logLost('messages'));
    promptQueuedExports(exports, completed).catch(logLost('exports'));
    const woken = deduplicate([...endpointQueues, ...listWokenEndpoints(completed)]);
    if (woken.length > 0) wakeLanes(webhooks, woken).catch(logLost('webhooks'));
  };
}

function promptQueuedMessages(queue: MessagesQueue, completed: Settled[]): Promise<void> {
  const prompts = completed.flatMap(({ command: { tenantId }, outcome }) =>
    ((outcome.ok && outcome.queuedMessages) || []).map((messageId) => ({ tenantId, messageId, attempts: 0 })),
  );
  return promptMessages(queue, prompts);
}

function promptQueuedExports(queue: ExportsQueue, completed: Settled[]): Promise<void> {
  const refs = completed.flatMap(({ command: { tenantId }, outcome }) =>
    ((outcome.ok && outcome.queuedExports) || []).map((exportId) => ({ tenantId, exportId })),
  );
  return promptExports(queue, refs);
}

function listWokenEndpoints(completed: Settled[]): LaneRef[] {
  return completed.flatMap(({ command: { tenantId }, outcome }) =>
    ((outcome.ok && outcome.wokenEndpoints) || []).map((endpointId) => ({ tenantId, endpointId })),
  );
}

function deduplicate(endpointQueues: LaneRef[]): LaneRef[] {
  return [...new Map(endpointQueues.map((queue) => [laneKey(queue), queue])).values()];
}
