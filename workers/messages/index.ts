import type { Runtime } from '../../shared/platform/runtime.js';
import { openWorker } from '../../shared/queues/backend.js';
import { MESSAGES_QUEUE, type MessageJob, openMessagesQueue } from '../../shared/queues/messages.js';
import { openWritesQueue } from '../../shared/queues/writes.js';
import { createMessagesProcessor } from './processor.js';
import { createProviders } from './providers.js';

/** Messages that one process hands over at once: mail servers dislike more connections from one address. */
const CONCURRENCY = 4;

/** Starts delivering messages. */
export function startMessagesWorker(runtime: Runtime): void {
  const messages = openMessagesQueue(runtime);
  const writes = openWritesQueue(runtime);
  const processor = createMessagesProcessor(runtime, createProviders(runtime.config), { writes, messages });
  openWorker<MessageJob>(runtime, MESSAGES_QUEUE, processor, { concurrency: CONCURRENCY });
}
