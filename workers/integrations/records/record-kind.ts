import type { Change, Page, PullStart, Written } from '../../../shared/integrations/contract/connection.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import type { ExternalId } from '../../../shared/sync/external-ids.js';
import type { StartedOperation } from '../../../shared/sync/operation-rows.js';
import type { Step, StepCommand } from '../vendor/step.js';

/** How a write ended, unless the vendor failed it. */
export type WriteOutcome =
  | { written: Written }
  /** The record must not be written any more. */
  | { cancelled: string }
  /** One of our own limits postpones it; the vendor was not called. */
  | { postponedMs: number; reason: string };

/** A change of a record whose own id is known. */
export interface KnownChange<State> {
  change: Change<State>;
  id: ExternalId;
}

/** How records of one kind are written at a vendor, and how its changes reach them. */
export interface RecordKind<State = unknown> {
  write(step: Step, operation: StartedOperation): Promise<WriteOutcome>;
  /** The commands after a write, and after it was given up. */
  buildSuccess(operation: StartedOperation): StepCommand[];
  buildFailure(operation: StartedOperation, reason: string): StepCommand[];
  pull(step: Step, from: PullStart): Promise<Page<State>>;
  /**
   * The commands that apply the vendor's changes.
   * @throws {NotReadyError} when an earlier command has yet to run
   */
  applyChanges(tx: Transaction, step: Step, changes: readonly KnownChange<State>[]): Promise<StepCommand[]>;
}

/** A command of an earlier step has yet to run, so the page must wait a moment. */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError';
}
