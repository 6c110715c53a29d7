import type { Command, CommandResult } from '../../shared/contracts/command.js';
import { countAttempt, deleteAttempts, sortByAttempts } from '../../shared/operations/command-attempts.js';
import { getErrorCode, isTransientDatabaseError } from '../../shared/platform/errors.js';
import { AccountFrozenError } from '../../shared/platform/frozen/frozen-accounts.js';
import { createFairLimit, type FairLimit } from '../../shared/platform/limits/fair-limit.js';
import { internalError } from '../../shared/queues/submit.js';
import { buildCommandAuditInsert } from './completed-command.js';
import { type BatchContext, type BatchOptions, listTenantIds, runBatch } from './run-batch.js';

/**
 * SQLSTATE codes after which a batch runs again immediately. 23505: another worker has committed
 * the same command or key. 40P01: a deadlock. 40001: a serialization failure.
 */
const RUN_AGAIN_CODES = ['23505', '40P01', '40001'];
const MAX_RUNS = 4;

/**
 * All jobs with suspected commands, which may have killed a worker, wait in one queue for all
 * tenants.
 */
const SUSPECTED_JOBS = { queue: 'suspects', group: 'all' } as const;

/** Creates a limit that allows only one running job with suspected commands. */
export function createSuspectLimit(maxQueued: number): FairLimit<'suspects'> {
  return createFairLimit({ queues: [SUSPECTED_JOBS.queue], maxRunning: 1, maxQueued });
}

/**
 * Runs a batch so that one failing command does not fail the others. After an unexpected error,
 * splits the batch in halves until the failing command is alone.
 * @throws if PostgreSQL is unreachable; the queue then retries the job
 */
export async function runIsolated(
  context: BatchContext,
  commands: Command[],
  options?: BatchOptions,
): Promise<CommandResult[]> {
  try {
    return await runOrRefuseFrozen(commands, (rest) => runAgainOnConflict(context, rest, options));
  } catch (error) {
    if (isTransientDatabaseError(error)) throw error;
    // Run the batch again, this time with the search for earlier results. Without the search, a
    // command that has run before may fail with any error.
    if (options?.shouldSearchEarlier === false) return runIsolated(context, commands);
    if (commands.length > 1) return runHalves(context, commands);
    return recordFailure(context, commands[0] as Command, error);
  }
}

/**
 * Runs commands. Refuses those of frozen accounts, and runs the others again without them, so that
 * other accounts do not wait. A refused command has no audit entry. If it was accepted earlier, its
 * operation moves with the account.
 */
export async function runOrRefuseFrozen(
  commands: Command[],
  run: (commands: Command[]) => Promise<CommandResult[]>,
): Promise<CommandResult[]> {
  try {
    return await run(commands);
  } catch (error) {
    if (!(error instanceof AccountFrozenError)) throw error;
    const isFrozen = (command: Command) =>
      listTenantIds(command).some((tenantId) => error.tenantIds.includes(tenantId));
    const others = commands.filter((command) => !isFrozen(command));
    if (others.length === commands.length) throw error;
    const refused = commands
      .filter(isFrozen)
      .map(({ id }): CommandResult => ({ id, ok: false, error: error.toBody(), unaudited: true }));
    return [...refused, ...(await runOrRefuseFrozen(others, run))];
  }
}

async function runHalves(context: BatchContext, commands: Command[]): Promise<CommandResult[]> {
  const middle = Math.ceil(commands.length / 2);
  const first = await runIsolated(context, commands.slice(0, middle));
  const second = await runIsolated(context, commands.slice(middle));
  return [...first, ...second];
}

async function runAgainOnConflict(
  context: BatchContext,
  commands: Command[],
  options?: BatchOptions,
): Promise<CommandResult[]> {
  for (let run = 1; ; run += 1) {
    try {
      return await runBatch(context, commands, run === 1 ? options : undefined);
    } catch (error) {
      if (run === MAX_RUNS || !RUN_AGAIN_CODES.includes(getErrorCode(error))) throw error;
      context.conflictMonitor.recordConflict();
    }
  }
}

async function recordFailure(
  context: BatchContext,
  command: Command,
  error: unknown,
): Promise<CommandResult[]> {
  context.logger.error(
    { err: error, commandId: command.id, type: command.type },
    'a command failed unexpectedly',
  );
  const outcome = { ok: false, error: internalError() } as const;
  await context.db.transaction([command.tenantId], async (tx) =>
    tx.queryAtCommit(buildCommandAuditInsert([{ command, outcome }], undefined)),
  );
  return [{ id: command.id, ...outcome }];
}

/**
 * Runs, one by one, the commands of a job whose worker died. Commands with the fewest attempts run
 * first. Each attempt is counted before it starts. A command that has killed its worker too often
 * fails and does not run again.
 */
export function runSuspectedCommands(context: BatchContext, commands: Command[]): Promise<CommandResult[]> {
  return context.suspectLimit.run(SUSPECTED_JOBS, () =>
    runOrRefuseFrozen(commands, (rest) => runOneByOne(context, rest)),
  );
}

async function runOneByOne(context: BatchContext, commands: Command[]): Promise<CommandResult[]> {
  const results: CommandResult[] = [];
  for (const command of await sortByAttempts(context.db, commands)) {
    if (await countAttempt(context.db, command)) {
      results.push(...(await runIsolated(context, [command])));
      await deleteAttempts(context.db, command);
    } else {
      context.logger.error(
        { commandId: command.id, type: command.type },
        'parked a command that keeps killing its worker',
      );
      results.push({ id: command.id, ok: false, error: internalError(), unaudited: true });
    }
  }
  return results;
}

export type { BatchContext };
