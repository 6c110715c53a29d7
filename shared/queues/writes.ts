import type { Queue } from 'bullmq';
import type { Command, CommandResult } from '../contracts/command.js';
import { newId } from '../platform/ids.js';
import type { Runtime } from '../platform/process/runtime.js';
import { openQueue } from './backend.js';

export const WRITES_QUEUE = 'writes';

/** A batch of commands, possibly from many tenants. No command contains a secret in plain text. */
export interface WriteJob {
  version: 1;
  /**
   * Channel of the process that waits for the results; null if no process waits, for example for
   * the clock's commands.
   */
  replyTo: string | null;
  commands: Command[];
}

export interface WriteReply {
  results: CommandResult[];
}

/** A failed job is retried practically without end, so that no outage of PostgreSQL loses a job. */
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

/**
 * Adds the commands to the queue as one job. Rejects if the queue is unreachable. Even then, the
 * job may have been added.
 */
export async function enqueueBatch(
  queue: WritesQueue,
  commands: Command[],
  replyTo: string | null,
): Promise<void> {
  await queue.add('batch', { version: 1, replyTo, commands }, { jobId: newId() });
}
