import type { Runtime } from '../platform/process/runtime.js';
import { openWritePath, type Submit } from '../queues/submit.js';
import { findCommandResult, storeOperation } from './store.js';

/** The clock leaves a new operation alone for this long, because its job may still be queued. */
const FIRST_LEASE_SECONDS = 5;

/**
 * Opens the write path of a process that submits commands. If a reply does not come in time, the
 * process reads the command's result, or stores the command as an operation that runs later.
 */
export function openDurableWritePath(runtime: Runtime): Promise<Submit> {
  const { db } = runtime;
  return openWritePath(runtime, async (command) => {
    const result = await findCommandResult(db, command);
    if (result) return result;
    await storeOperation(db, command, FIRST_LEASE_SECONDS);
    return { id: command.id, accepted: true };
  });
}
