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
    if (isAcknowledged(command, submitted)) acknowledged.add(command);
    return submitted;
  };
}

/** A replayed response belongs to an earlier command, whose own response was remembered. */
function isAcknowledged(command: Command, submitted: Submitted): boolean {
  if (command.dryRun || command.type === CANARY_TYPE) return false;
  return 'accepted' in submitted || (submitted.ok && !submitted.replayed);
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
