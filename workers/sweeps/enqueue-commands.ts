import type { Command } from '../../shared/contracts/command.js';
import { enqueueBatch, type WritesQueue } from '../../shared/queues/writes.js';

/** Maximum number of commands in a job. Jobs for clients' requests have the same limit. */
const COMMANDS_PER_JOB = 256;

/** Adds commands to the queue. No process waits for their results. */
export async function enqueueCommands(writes: WritesQueue, commands: readonly Command[]): Promise<void> {
  for (let start = 0; start < commands.length; start += COMMANDS_PER_JOB)
    await enqueueBatch(writes, commands.slice(start, start + COMMANDS_PER_JOB), null);
}
