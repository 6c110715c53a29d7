import { setTimeout as sleep } from 'node:timers/promises';
import { failpoint } from '../../../shared/config/failpoints.js';
import { VendorError, type VendorErrorKind } from '../../../shared/integrations/contract/vendor-error.js';
import type { StartedOperation } from '../../../shared/sync/operation-rows.js';
import { RETRY_SCHEDULE_MS } from '../../leased-queues/retry-schedule.js';
import { findRecordKind, MAX_TOGETHER } from '../kinds/record-kinds.js';
import type { WriteOutcome } from '../records/record-kind.js';
import type { Step } from '../vendor/step.js';
import { toStepError } from '../vendor/to-step-error.js';
import { StoppedError } from '../vendor/vendor-caller.js';
import { type PlannedResult, planCancellation, planFailure, planOutcome } from './write-results.js';

interface Attempt {
  operation: StartedOperation;
  outcome: WriteOutcome | VendorError;
}

/** Results that come within this time are stored together. */
const GATHER_MS = 50;
/** The wait before a write that was not made, because another one of its step had failed. */
const STOPPED_WAIT_MS = 1000;
/** The kinds of errors that pause the connection, the longest pause first. */
const PAUSING: readonly VendorErrorKind[] = ['auth', 'limit', 'again', 'unknown_outcome'];

/**
 * Writes records at the vendor at the same time, and stores the results as they come. Each result
 * is stored even if the step has failed by then, because the vendor may have accepted the record.
 * After a success, the next step may write twice as many records; after a failure that pauses the
 * connection, only one.
 * @throws the first error because of which a result could not be stored
 */
export async function runWrites(step: Step, operations: readonly StartedOperation[]): Promise<void> {
  const writes = new RunningWrites(step, operations);
  for (let ended = await writes.gather(); ended.length > 0; ended = await writes.gather()) {
    try {
      await storeAttempts(step, ended, { hasPaused: writes.hasPaused });
    } catch (error) {
      writes.fail(error);
    }
    if (ended.some(isPausing)) writes.hasPaused = true;
  }
  const { queue } = step;
  if (writes.hasPaused) queue.writesTogether = 1;
  else if (writes.hasWritten) queue.writesTogether = Math.min(queue.writesTogether * 2, MAX_TOGETHER);
  writes.assertStored();
}

const isPausing = ({ outcome }: Attempt): boolean =>
  outcome instanceof VendorError && PAUSING.includes(outcome.kind);

/** The writes of a step that wait for the vendor, and those whose results are not stored yet. */
class RunningWrites {
  /** True once a result was stored that pauses the connection. */
  hasPaused = false;
  hasWritten = false;
  private readonly running = new Set<Promise<void>>();
  private ended: Attempt[] = [];
  private error: unknown;

  constructor(
    private readonly step: Step,
    operations: readonly StartedOperation[],
  ) {
    for (const operation of operations) {
      const write: Promise<void> = this.write(operation).finally(() => this.running.delete(write));
      this.running.add(write);
    }
  }

  /** Waits for the next results. Resolves with an empty list once all writes have ended. */
  async gather(): Promise<Attempt[]> {
    while (this.ended.length === 0 && this.running.size > 0) await Promise.race(this.running);
    if (this.running.size > 0) await Promise.race([sleep(GATHER_MS), Promise.all(this.running)]);
    return this.ended.splice(0);
  }

  /** Keeps the first error, and lets the step make no further calls. */
  fail(error: unknown): void {
    this.error ??= error;
    this.step.caller.stop();
  }

  /** @throws the first error that {@link fail} kept */
  assertStored(): void {
    if (this.error !== undefined) throw this.error;
  }

  private async write(operation: StartedOperation): Promise<void> {
    try {
      const ended = { operation, outcome: await attempt(this.step, operation) };
      if (isPausing(ended)) this.step.caller.stop();
      this.hasWritten ||= 'written' in ended.outcome;
      this.ended.push(ended);
    } catch (error) {
      this.fail(error);
    }
  }
}

/** @throws {LeaseLostError} if this process may have lost the lease before the write */
async function attempt(step: Step, operation: StartedOperation): Promise<WriteOutcome | VendorError> {
  const { config } = step.services.runtime;
  try {
    // Attempts are counted when they start. So the worker also gives up an operation that kills the
    // worker in every attempt.
    if (operation.attempts > RETRY_SCHEDULE_MS.length) throw exhaustedError();
    failpoint(config, 'before_vendor_write');
    const outcome = await findRecordKind(operation.kind).write(step, operation);
    failpoint(config, 'after_vendor_write');
    return outcome;
  } catch (error) {
    if (error instanceof StoppedError)
      return { postponedMs: STOPPED_WAIT_MS, reason: 'Another write of the connection has just failed.' };
    return toStepError(step, error);
  }
}

function exhaustedError(): VendorError {
  return new VendorError('The write broke off repeatedly.', { kind: 'unknown_outcome', code: 'broke_off' });
}

interface StoreOptions {
  /** True if an earlier result of this step has paused the connection. */
  hasPaused: boolean;
}

/**
 * Stores results in one transaction. If PostgreSQL rejects it, stores each result by itself, and a
 * failure in place of a rejected result. Otherwise the worker would repeat the writes every half
 * second.
 * @throws the first error because of which a result could not be stored
 */
async function storeAttempts(step: Step, attempts: readonly Attempt[], options: StoreOptions): Promise<void> {
  try {
    await storeTogether(step, attempts, options);
  } catch (error) {
    const failure = toStepError(step, error);
    const errors: unknown[] = [];
    for (const one of attempts)
      await storeTogether(step, [one], options)
        .catch(() => storeTogether(step, [{ ...one, outcome: failure }], options))
        .catch((cause: unknown) => errors.push(cause));
    if (errors.length > 0) throw errors[0];
  }
  failpoint(step.services.runtime.config, 'after_vendor_result');
}

async function storeTogether(
  step: Step,
  attempts: readonly Attempt[],
  { hasPaused }: StoreOptions,
): Promise<void> {
  // Each transaction locks the records in the same order, so that two transactions cannot wait for
  // each other.
  const inOrder = attempts.toSorted((a, b) => (a.operation.local_id < b.operation.local_id ? -1 : 1));
  const results = inOrder.map(({ operation, outcome }) =>
    outcome instanceof VendorError
      ? planFailure(step, operation, outcome)
      : planOutcome(step, operation, outcome),
  );
  const isRefused = attempts.some(({ outcome }) => outcome instanceof VendorError && outcome.kind === 'auth');
  await storeResults(step, results, hasPaused ? null : judge(results, isRefused));
}

/**
 * Decides what results say about the vendor's health, as {@link StepResult} does: the error that
 * pauses the connection longest; without one, undefined after a success. Only the first error of a
 * step counts.
 * @param isRefused true if the vendor refused the access, also if the worker will renew it
 */
function judge(results: readonly PlannedResult[], isRefused: boolean): VendorError | null | undefined {
  const errors = results.flatMap(({ error }) => error ?? []);
  const pausing = errors.filter(({ kind }) => PAUSING.includes(kind));
  const [worst] = pausing.sort(
    (a, b) =>
      PAUSING.indexOf(a.kind) - PAUSING.indexOf(b.kind) || (b.retryAfterMs ?? 0) - (a.retryAfterMs ?? 0),
  );
  if (worst) return worst;
  if (isRefused) return null;
  return results.some(({ error }) => error === undefined) ? undefined : (errors[0] ?? null);
}

function storeResults(
  step: Step,
  results: readonly PlannedResult[],
  error: VendorError | null | undefined,
): Promise<void> {
  return step.finish({
    error,
    async store(tx) {
      const commands = [];
      for (const result of results) commands.push(...(await result.store(tx)));
      return commands;
    },
  });
}

export async function cancelWrite(step: Step, operation: StartedOperation): Promise<void> {
  const { may_have_arrived: mayHaveArrived } = operation;
  const cancelled = 'The connection was disconnected.';
  await storeResults(step, [planCancellation(operation, { cancelled, mayHaveArrived })], null);
}
