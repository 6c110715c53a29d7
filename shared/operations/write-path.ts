import type { Runtime } from '../platform/process/runtime.js';
import { openWritePath, type Submit } from '../queues/submit.js';
import { findResultOrStoreOperation } from './store.js';

/**
 * The clock resubmits an operation only when it is at least this old. Until then, the operation's
 * job may still be in the queue.
 */
const FIRST_LEASE_SECONDS = 5;

/**
 * Opens the write path of a process that submits commands. If no reply to a command arrives in
 * time, the process reads the committed result. If no result is committed, the process stores the
 * command as an operation that runs later.
 */
export function openDurableWritePath(runtime: Runtime): Promise<Submit> {
  const { db } = runtime;
  return openWritePath(runtime, async (command) => {
    const result = await findResultOrStoreOperation(db, command, FIRST_LEASE_SECONDS);
    return result ?? { id: command.id, accepted: true };
  });
}
