import type { Queue } from 'bullmq';
import type { Command, CommandResult } from '../contracts/command.js';
import { newId } from '../platform/ids.js';
import type { Runtime } from '../platform/runtime.js';
import { openQueue } from './backend.js';

export const WRITES_QUEUE = 'writes';

/** One batch of commands. They may belong to many tenants; none holds a secret in clear text. */
export interface WriteJob {
  version: 1;
  /** Channel of the api process that waits for the results; null: nobody waits (the clock's re-submissions). */
  replyTo: string | null;
  commands: Command[];
}

/** What a worker publishes on {@link WriteJob.replyTo}. */
export interface WriteReply {
  results: CommandResult[];
}

/** A job is retried until its store is back; a stall never fails it. Finished jobs leave nothing behind. */
const JOB_OPTIONS = {
  attempts: 1_000_000,
  backoff: { type: 'fixed', delay: 500, jitter: 0.5 },
  removeOnComplete: true,
  removeOnFail: { count: 1000 },
} as const;

export type WritesQueue = Queue<WriteJob>;

export function openWritesQueue(runtime: Runtime): WritesQueue {
  return openQueue<WriteJob>(runtime, WRITES_QUEUE, JOB_OPTIONS);
}

/** Puts a batch on the queue. Rejects when the queue cannot be reached; the job may have been added all the same. */
export async function enqueueBatch(
  queue: WritesQueue,
  commands: Command[],
  replyTo: string | null,
): Promise<void> {
  await queue.add('batch', { version: 1, replyTo, commands }, { jobId: newId() });
}
