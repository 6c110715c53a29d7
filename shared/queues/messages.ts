import type { Queue } from 'bullmq';
import type { Runtime } from '../platform/runtime.js';
import { openQueue, PROMPT_OPTIONS } from './backend.js';

export const MESSAGES_QUEUE = 'messages';

/** Name of the jobs about mails of notices; all others are about messages to customers. */
export const NOTIFY = 'notify';

/**
 * A prompt to look at what an account has due: messages, or mails of notices. The rows are the
 * truth: a job too many does nothing, a lost one is found by the clock.
 */
export interface MessageJob {
  tenantId: string;
  /** One that is due. Workers of the version before look at this one alone. */
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

/** Asks the messages worker to look at what the accounts of these messages have due. */
export function promptMessages(queue: MessagesQueue, prompts: MessagePrompt[]): Promise<void> {
  return prompt(queue, 'deliver', prompts);
}

/** Asks it to look at the mails of notices that these accounts have due. */
export function promptNoticeMails(queue: MessagesQueue, prompts: MessagePrompt[]): Promise<void> {
  return prompt(queue, NOTIFY, prompts);
}

async function prompt(queue: MessagesQueue, name: string, prompts: MessagePrompt[]): Promise<void> {
  await Promise.all(
    oneForEachAccount(prompts).map(({ tenantId, messageId, attempts, delayMs = 0 }) =>
      queue.add(name, { tenantId, messageId }, { jobId: `${messageId}-${attempts}`, delay: delayMs }),
    ),
  );
}

/** A worker that looks at an account finds all that is due there; waits of their own stay apart. */
function oneForEachAccount(prompts: MessagePrompt[]): MessagePrompt[] {
  const seen = new Set<string>();
  return prompts.filter(({ tenantId, delayMs = 0 }) => {
    const key = `${tenantId} ${delayMs}`;
    return !seen.has(key) && seen.add(key);
  });
}
