import type { Command, CommandResult } from '../contracts/command.js';
import { AppError, type ErrorBody, serviceUnavailable } from '../platform/errors.js';
import { AccountFrozenError } from '../platform/frozen/frozen-accounts.js';
import { newId } from '../platform/ids.js';
import type { Runtime } from '../platform/process/runtime.js';
import { isMemoryFull } from '../platform/redis-refusal.js';
import { CommandBatcher } from './batching/command-batcher.js';
import { WaitingWrites } from './batching/waiting-writes.js';
import { enqueueBatch, openWritesQueue, type WriteReply } from './writes.js';

/** The result of a committed command, or the id of a stored operation that will run later. */
export type Submitted = CommandResult | { id: string; accepted: true };

/**
 * Submits a command and waits for its outcome.
 * @param bytes size of the request body
 */
export type Submit = (command: Command, bytes: number) => Promise<Submitted>;

/**
 * Finds the outcome of a command whose reply did not arrive in time. Returns the result if the
 * command has an audit entry; otherwise stores the command as an operation. Rejects if PostgreSQL
 * is unreachable.
 */
export type ResolveLate = (command: Command) => Promise<Submitted>;

function replyChannel(processId: string): string {
  return `tow:reply:${processId}`;
}

/**
 * Opens this process's write path: the queue, the reply channel and the batcher. The returned
 * function throws {@link AppError} 503 if a store is unreachable, too many writes are waiting, or a
 * dry run takes too long. It throws 409 while this process runs another command with the same
 * Idempotency-Key.
 */
export async function openWritePath(runtime: Runtime, resolveLate: ResolveLate): Promise<Submit> {
  const queue = openWritesQueue(runtime);
  const channel = replyChannel(newId());
  const batcher = new CommandBatcher({
    send: (commands) => enqueueBatch(queue, commands, channel),
    timeoutMs: runtime.config.writeTimeoutMs,
  });
  await runtime.bus.subscribe(channel, (message) =>
    batcher.receive((JSON.parse(message) as WriteReply).results),
  );
  const keysInFlight = new Set<string>();
  const waiting = new WaitingWrites();
  return async (command, bytes) => {
    const idempotencyKey =
      command.idempotency && !command.dryRun ? `${command.tenantId}:${command.idempotency.key}` : undefined;
    if (idempotencyKey && keysInFlight.has(idempotencyKey)) throw inProgress();
    const release = waiting.reserve(command.tenantId, bytes);
    if (!release) throw serviceUnavailable('Too many writes are waiting. Send this one again in a moment.');
    if (idempotencyKey) keysInFlight.add(idempotencyKey);
    try {
      return await resolveOutcome(await batcher.submit({ command, bytes }), {
        command,
        runtime,
        resolveLate,
      });
    } finally {
      release();
      if (idempotencyKey) keysInFlight.delete(idempotencyKey);
    }
  };
}

async function resolveOutcome(
  outcome: Awaited<ReturnType<CommandBatcher['submit']>>,
  { command, runtime, resolveLate }: { command: Command; runtime: Runtime; resolveLate: ResolveLate },
): Promise<Submitted> {
  if (typeof outcome === 'object' && 'refused' in outcome) {
    runtime.logger.warn({ err: outcome.refused, commandId: command.id }, 'queue refused a batch');
    const problem = isMemoryFull(outcome.refused) ? 'is full' : 'cannot be reached';
    throw serviceUnavailable(
      `The write queue ${problem}. Send the request again with the same Idempotency-Key.`,
      outcome.refused,
    );
  }
  if (outcome !== 'late') return outcome;
  // A dry run stores nothing, so it must not become an operation.
  if (command.dryRun) throw serviceUnavailable('The dry run took too long. Send it again.');
  return resolveLate(command).catch((error: unknown) => {
    if (error instanceof AccountFrozenError) throw error;
    runtime.logger.error({ err: error, commandId: command.id }, 'the outcome of a command is unknown');
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

export function internalError(): ErrorBody {
  return { code: 'internal_error', message: 'Something went wrong on our side. Nothing was stored.' };
}
