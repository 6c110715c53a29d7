import type { Queue } from 'bullmq';
import type { Runtime } from '../platform/process/runtime.js';
import { addJobs, openQueue, WAKE_UP_JOB_OPTIONS } from './backend.js';

export const MESSAGES_QUEUE = 'messages';

/** Name of the jobs that send notice mails. Jobs with any other name send messages to customers. */
export const NOTICE_MAIL_JOB = 'notify';

/** Name of the jobs that send mails about access: invitations, resets and sign-ups. */
export const ACCESS_MAIL_JOB = 'access';
/**
 * The name with which a command's prompt asks for an access mail. The job itself goes to
 * {@link MESSAGES_QUEUE}.
 */
export const ACCESS_MAILS_PROMPT = 'access-mails';

/**
 * A wake-up job for an account's due messages, or for its due notice mails. The rows of messages
 * and notice mails are the source of truth: a duplicate job does nothing, and the clock replaces a
 * lost job.
 */
export interface MessageJob {
  tenantId: string;
  /**
   * Id of one due message or notice mail. Only workers of the previous release, which may still
   * run, read this id. Such a worker sends only this message or notice mail.
   */
  messageId: string;
}

export type MessagesQueue = Queue<MessageJob>;

export function openMessagesQueue(runtime: Runtime): MessagesQueue {
  return openQueue<MessageJob>(runtime, MESSAGES_QUEUE, WAKE_UP_JOB_OPTIONS);
}

export interface MessagePrompt {
  tenantId: string;
  messageId: string;
  /**
   * Number of attempts to send the message so far. The job's id contains this number, so that each
   * attempt gets only one job.
   */
  attempts: number;
  /** Milliseconds until the job runs; 0 by default. */
  delayMs?: number;
}

export function promptMessages(queue: MessagesQueue, prompts: MessagePrompt[]): Promise<void> {
  return addPrompts(queue, 'deliver', prompts);
}

export function promptNoticeMails(queue: MessagesQueue, prompts: MessagePrompt[]): Promise<void> {
  return addPrompts(queue, NOTICE_MAIL_JOB, prompts);
}

export function promptAccessMails(queue: MessagesQueue, prompts: MessagePrompt[]): Promise<void> {
  return addPrompts(queue, ACCESS_MAIL_JOB, prompts);
}

async function addPrompts(queue: MessagesQueue, name: string, prompts: MessagePrompt[]): Promise<void> {
  const jobs = keepOnePerAccount(prompts).map(({ tenantId, messageId, attempts, delayMs = 0 }) => ({
    data: { tenantId, messageId },
    jobId: `${messageId}-${attempts}`,
    delay: delayMs,
  }));
  await addJobs(queue, name, jobs);
}

/**
 * Returns one prompt per account and delay. More prompts are unnecessary, because the worker finds
 * all due rows of the account.
 */
function keepOnePerAccount(prompts: MessagePrompt[]): MessagePrompt[] {
  const seen = new Set<string>();
  return prompts.filter(({ tenantId, delayMs = 0 }) => {
    const key = `${tenantId} ${delayMs}`;
    return !seen.has(key) && seen.add(key);
  });
}
