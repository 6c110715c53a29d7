import type { Command, CommandResult } from '../contracts/command.js';
import { AppError, type ErrorBody, serviceUnavailable } from '../platform/errors.js';
import { newId } from '../platform/ids.js';
import type { Runtime } from '../platform/runtime.js';
import { CommandGatherer } from './command-gatherer.js';
import { WaitingWrites } from './waiting-writes.js';
import { enqueueBatch, openWritesQueue, type WriteReply } from './writes.js';

/** Committed and answered, or stored as a pending operation that will run by itself. */
export type Submitted = CommandResult | { id: string; accepted: true };

/** Hands a command to the workers. @param bytes size of its request body */
export type Submit = (command: Command, bytes: number) => Promise<Submitted>;

/**
 * Tells what became of a command whose reply did not come: its result when its audit entry is there, otherwise it is stored as an operation.
 * Throws when PostgreSQL cannot be asked.
 */
export type ResolveLate = (command: Command) => Promise<Submitted>;

/** Channel of the replies to one api process. */
function replyChannel(processId: string): string {
  return `tow:reply:${processId}`;
}

/**
 * Opens the write path of this process: the queue, its reply channel and the gatherer.
 * The returned function throws {@link AppError} 503 when the queue cannot be reached, and 409 when a command with the same Idempotency-Key is under way here.
 */
export async function openWritePath(runtime: Runtime, resolveLate: ResolveLate): Promise<Submit> {
  const queue = openWritesQueue(runtime);
  const channel = replyChannel(newId());
  const gatherer = new CommandGatherer({
    send: (commands) => enqueueBatch(queue, commands, channel),
    timeoutMs: runtime.config.writeTimeoutMs,
  });
  await runtime.bus.subscribe(channel, (message) =>
    gatherer.receive((JSON.parse(message) as WriteReply).results),
  );
  const keysInFlight = new Set<string>();
  const waiting = new WaitingWrites();
  return async (command, bytes) => {
    const claim =
      command.idempotency && !command.dryRun ? `${command.tenantId}:${command.idempotency.key}` : undefined;
    if (claim && keysInFlight.has(claim)) throw inProgress();
    const leave = waiting.enter(command.tenantId, bytes);
    if (!leave) throw serviceUnavailable('Too many writes are waiting. Send this one again in a moment.');
    if (claim) keysInFlight.add(claim);
    try {
      return await settle(await gatherer.submit({ command, bytes }), { command, runtime, resolveLate });
    } finally {
      leave();
      if (claim) keysInFlight.delete(claim);
    }
  };
}

async function settle(
  outcome: Awaited<ReturnType<CommandGatherer['submit']>>,
  { command, runtime, resolveLate }: { command: Command; runtime: Runtime; resolveLate: ResolveLate },
): Promise<Submitted> {
  if (typeof outcome === 'object' && 'refused' in outcome) {
    runtime.logger.warn({ err: outcome.refused, commandId: command.id }, 'queue refused a batch');
    throw serviceUnavailable(
      'The write queue cannot be reached. Send the request again with the same Idempotency-Key.',
      outcome.refused,
    );
  }
  if (outcome !== 'late') return outcome;
  // A rehearsal stores nothing, so there is nothing to come back for.
  if (command.dryRun) throw serviceUnavailable('The dry run took too long. Send it again.');
  return resolveLate(command).catch((error: unknown) => {
    runtime.logger.error({ err: error, commandId: command.id }, 'cannot tell what became of a command');
    throw serviceUnavailable(
      'The store cannot be reached, so the outcome of this write is unknown. Send it again with the same Idempotency-Key.',
      error,
    );
  });
}

function inProgress(): AppError {
  return new AppError(
    'idempotency_in_progress',
    'A request with this Idempotency-Key is still running. Try again shortly.',
    {
      headers: { 'Retry-After': '1' },
    },
  );
}

/** The failed result that stands for an unexpected fault. */
export function internalError(): ErrorBody {
  return { code: 'internal_error', message: 'Something went wrong on our side. Nothing was stored.' };
}
