import type { Command } from '../../shared/contracts/command.js';
import { enqueueBatch, type WritesQueue } from '../../shared/queues/writes.js';

/** The usual size of a batch. */
const COMMANDS_PER_JOB = 256;

/** No process waits for the replies. */
export async function enqueueCommands(writes: WritesQueue, commands: readonly Command[]): Promise<void> {
  for (let start = 0; start < commands.length; start += COMMANDS_PER_JOB)
    await enqueueBatch(writes, commands.slice(start, start + COMMANDS_PER_JOB), null);
}
