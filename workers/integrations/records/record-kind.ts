import type { Change, Page, PullStart, Written } from '../../../shared/integrations/contract/connection.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import type { ExternalId } from '../../../shared/sync/external-ids.js';
import type { StartedOperation } from '../../../shared/sync/operation-rows.js';
import type { Step, StepCommand } from '../vendor/step.js';

/** The result of a write, unless the vendor returned an error. */
export type WriteOutcome =
  | { written: Written }
  /** Nothing was sent, because the record must no longer be written. */
  | { cancelled: string }
  /** One of our own limits postpones the write. The vendor was not called. */
  | { postponedMs: number; reason: string };

/** A change at the vendor, with the id of our record. */
export interface KnownChange<State> {
  change: Change<State>;
  id: ExternalId;
}

/** How records of one kind are written at a vendor, and how the vendor's changes reach them. */
export interface RecordKind<State = unknown> {
  write(step: Step, operation: StartedOperation): Promise<WriteOutcome>;
  /**
   * Builds the commands that record a successful write. `buildFailure` builds the commands for a
   * write that the worker has given up.
   */
  buildSuccess(operation: StartedOperation): StepCommand[];
  buildFailure(operation: StartedOperation, reason: string): StepCommand[];
  pull(step: Step, from: PullStart): Promise<Page<State>>;
  /**
   * Builds the commands that apply the vendor's changes.
   * @throws {NotReadyError} if a command of an earlier step has not run yet
   */
  applyChanges(tx: Transaction, step: Step, changes: readonly KnownChange<State>[]): Promise<StepCommand[]>;
}

/** Thrown if a command of an earlier step has not run yet. The page must then wait a moment. */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError';
}
