import type { Runtime } from '../../shared/platform/runtime.js';
import { openMessagesQueue, promptMessages } from '../../shared/queues/messages.js';
import type { Settled } from './record.js';

/**
 * Tells the messages worker at once what was queued for a provider; a prompt that gets lost is made up for by the clock. Without a provider nothing is ever
 * queued, and no queue is opened.
 */
export function createMessagePrompter(runtime: Runtime): (settled: Settled[]) => void {
  if (!runtime.config.smtpUrl) return () => undefined;
  const queue = openMessagesQueue(runtime);
  return (settled) => {
    const prompts = settled.flatMap(({ command: { tenantId }, outcome }) =>
      ((outcome.ok && outcome.queuedMessages) || []).map((messageId) => ({
        tenantId,
        messageId,
        attempts: 0,
      })),
    );
    promptMessages(queue, prompts).catch((error: unknown) =>
      runtime.logger.warn({ err: error, messages: prompts.length }, 'messages not prompted; the clock will'),
    );
  };
}
