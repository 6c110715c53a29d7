import { CANARY_TYPE } from '../contracts/canary.js';
import type { Command } from '../contracts/command.js';
import type { Runtime } from '../platform/process/runtime.js';
import { openWritePath, type Submit, type Submitted } from '../queues/submit.js';
import { AcknowledgedWrites } from './lost-writes/acknowledged-writes.js';
import { LostWriteCheck } from './lost-writes/lost-write-check.js';
import { findResultOrStoreOperation } from './store.js';

/**
 * The clock resubmits an operation only when it is at least this old. Until then, the operation's
 * job may still be in the queue.
 */
const FIRST_LEASE_SECONDS = 5;

/**
 * Opens the write path of a process that submits commands. If no reply to a command arrives in
 * time, the process reads the committed result. If no result is committed, the process stores the
 * command as an operation that runs later. The process remembers the writes that it acknowledged,
 * and checks them when PostgreSQL's primary changes.
 */
export async function openDurableWritePath(runtime: Runtime): Promise<Submit> {
  const { db } = runtime;
  const acknowledged = getAcknowledgedWrites(runtime);
  const submit = await openWritePath(runtime, async (command) => {
    const result = await findResultOrStoreOperation(db, command, FIRST_LEASE_SECONDS);
    return result ?? { id: command.id, accepted: true };
  });
  return async (command, bytes) => {
    const submitted = await submit(command, bytes);
    const stored = findAcknowledged(command, submitted);
    if (stored) acknowledged.add(stored);
    return submitted;
  };
}

/**
 * Finds the command that the client now knows to be stored. A replayed response belongs to an
 * earlier command, whose own response may never have arrived.
 */
function findAcknowledged(command: Command, submitted: Submitted): Command | undefined {
  if (command.dryRun || command.type === CANARY_TYPE) return undefined;
  if ('accepted' in submitted) return command;
  if (!submitted.ok) return undefined;
  if (!submitted.replayed) return command;
  return submitted.first && { ...command, ...submitted.first };
}

/** The write paths of a process share one memory. */
const memories = new WeakMap<Runtime['lifecycle'], AcknowledgedWrites>();

function getAcknowledgedWrites(runtime: Runtime): AcknowledgedWrites {
  const { lifecycle, primary } = runtime;
  const known = memories.get(lifecycle);
  if (known) return known;
  const acknowledged = new AcknowledgedWrites();
  memories.set(lifecycle, acknowledged);
  const check = new LostWriteCheck(runtime, acknowledged);
  primary.onChange((from, to) => check.start(from, to));
  lifecycle.onClose('check for lost writes', () => check.close());
  return acknowledged;
}
