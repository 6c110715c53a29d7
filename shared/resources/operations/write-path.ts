import type { Runtime } from '../../platform/runtime.js';
import { openWritePath, type Submit } from '../../queues/submit.js';
import { findResult, storeOperation } from './store.js';

/** How long the clock leaves an operation alone after it was stored: its job may still be on its way. */
const FIRST_LEASE_SECONDS = 5;

/** The write path of a process that takes commands: one whose reply does not come in time is looked up, or stored as an operation that will run by itself. */
export function openDurableWritePath(runtime: Runtime): Promise<Submit> {
  const { db } = runtime;
  return openWritePath(runtime, async (command) => {
    const result = await findResult(db, command);
    if (result) return result;
    await storeOperation(db, command, FIRST_LEASE_SECONDS);
    return { id: command.id, accepted: true };
  });
}
