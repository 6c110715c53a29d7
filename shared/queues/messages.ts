import type { Queue } from 'bullmq';
import type { Runtime } from '../platform/runtime.js';
import { openQueue, PROMPT_OPTIONS } from './backend.js';

export const MESSAGES_QUEUE = 'messages';

/** Name of the jobs about mails of notices; all others are about messages to customers. */
export const NOTIFY = 'notify';

/** A prompt to look at one message, or at one mail of a notice. Its row is the truth: a job too many does nothing, a lost one is found by the clock. */
export interface MessageJob {
  tenantId: string;
  messageId: string;
}

export type MessagesQueue = Queue<MessageJob>;

export function openMessagesQueue(runtime: Runtime): MessagesQueue {
  return openQueue<MessageJob>(runtime, MESSAGES_QUEUE, PROMPT_OPTIONS);
}

export interface MessagePrompt {
  tenantId: string;
  messageId: string;
  /** How often the message was offered so far: prompts for the same attempt are one. */
  attempts: number;
  /** In how many ms to look; 0 unless told. */
  delayMs?: number;
}

/** Asks the messages worker to look at these messages. */
export function promptMessages(queue: MessagesQueue, prompts: MessagePrompt[]): Promise<void> {
  return prompt(queue, 'deliver', prompts);
}

/** Asks it to look at these mails of notices. */
export function promptNoticeMails(queue: MessagesQueue, prompts: MessagePrompt[]): Promise<void> {
  return prompt(queue, NOTIFY, prompts);
}

async function prompt(queue: MessagesQueue, name: string, prompts: MessagePrompt[]): Promise<void> {
  await Promise.all(
    prompts.map(({ tenantId, messageId, attempts, delayMs = 0 }) =>
      queue.add(name, { tenantId, messageId }, { jobId: `${messageId}-${attempts}`, delay: delayMs }),
    ),
  );
}
