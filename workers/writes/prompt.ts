import type { Runtime } from '../../shared/platform/runtime.js';
import { type ExportsQueue, openExportsQueue, promptExports } from '../../shared/queues/exports.js';
import { type MessagesQueue, openMessagesQueue, promptMessages } from '../../shared/queues/messages.js';
import { type LaneRef, laneKey, openWebhooksQueue, wakeLanes } from '../../shared/queues/webhooks.js';
import type { Settled } from './record.js';
import type { Committed } from './run-batch.js';

/**
 * Tells the other workers at once what a batch has left for them; a prompt that gets lost is made up for by the clock. Without a mail server no message is
 * ever queued for one, and no queue is opened.
 */
export function createPrompter(runtime: Runtime): (committed: Committed) => void {
  const { logger } = runtime;
  const messages = runtime.config.smtpUrl ? openMessagesQueue(runtime) : undefined;
  const webhooks = openWebhooksQueue(runtime);
  const exports = openExportsQueue(runtime);
  const later = (what: string) => (error: unknown) =>
    logger.warn({ err: error }, `${what} not prompted; the clock will`);
  return ({ settled, lanes }) => {
    if (messages) promptQueued(messages, settled).catch(later('messages'));
    promptQueuedExports(exports, settled).catch(later('exports'));
    const woken = distinct([...lanes, ...wokenBy(settled)]);
    if (woken.length > 0) wakeLanes(webhooks, woken).catch(later('webhooks'));
  };
}

function promptQueued(queue: MessagesQueue, settled: Settled[]): Promise<void> {
  const prompts = settled.flatMap(({ command: { tenantId }, outcome }) =>
    ((outcome.ok && outcome.queuedMessages) || []).map((messageId) => ({ tenantId, messageId, attempts: 0 })),
  );
  return promptMessages(queue, prompts);
}

function promptQueuedExports(queue: ExportsQueue, settled: Settled[]): Promise<void> {
  const refs = settled.flatMap(({ command: { tenantId }, outcome }) =>
    ((outcome.ok && outcome.queuedExports) || []).map((exportId) => ({ tenantId, exportId })),
  );
  return promptExports(queue, refs);
}

function wokenBy(settled: Settled[]): LaneRef[] {
  return settled.flatMap(({ command: { tenantId }, outcome }) =>
    ((outcome.ok && outcome.wokenEndpoints) || []).map((endpointId) => ({ tenantId, endpointId })),
  );
}

function distinct(lanes: LaneRef[]): LaneRef[] {
  return [...new Map(lanes.map((lane) => [laneKey(lane), lane])).values()];
}
