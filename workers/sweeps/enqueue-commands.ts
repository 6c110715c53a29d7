import type { Command } from '../../shared/contracts/command.js';
import { enqueueBatch, type WritesQueue } from '../../shared/queues/writes.js';

/** Commands per job of the writes queue: the usual size of a batch. */
const COMMANDS_PER_JOB = 256;

/** Adds the clock's commands to the writes queue. No process waits for their replies. */
export async function enqueueCommands(writes: WritesQueue, commands: readonly Command[]): Promise<void> {
  for (let start = 0; start < commands.length; start += COMMANDS_PER_JOB)
    await enqueueBatch(writes, commands.slice(start, start + COMMANDS_PER_JOB), null);
}
