import type { Change, Page, PullStart, Written } from '../../../shared/integrations/contract/connection.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import type { ExternalId } from '../../../shared/sync/external-ids.js';
import type { StartedOperation } from '../../../shared/sync/operation-rows.js';
import type { Step, StepCommand } from '../vendor/step.js';

/** A write that the vendor accepted. `state` is what the vendor returned, if the kind reads it. */
export interface AcceptedWrite<State = unknown> {
  written: Written;
  state?: State;
}

/** Why the worker gave a write up. `reason` is shown to the account. */
export interface WriteFailure {
  reason: string;
  /** The vendor's error code, or `cancelled`. */
  code: string;
  /** True if an earlier attempt got no usable answer, so the vendor may have done the write. */
  mayHaveArrived: boolean;
}

/** The result of a write to which the vendor returned no error. */
export type WriteOutcome<State = unknown> =
  | AcceptedWrite<State>
  /**
   * The record must no longer be written, for the reason `cancelled`. `mayHaveArrived` is true if
   * an earlier attempt may have written the record. `code` is the code of the failure, if the kind
   * treats it in its own way.
   */
  | { cancelled: string; mayHaveArrived: boolean; code?: string }
  /** One of our own limits postpones the write. The vendor was not called. */
  | { postponedMs: number; reason: string };

/** A change at the vendor, with the id of our record. */
export interface KnownChange<State> {
  change: Change<State>;
  id: ExternalId;
}

/**
 * The functions that write records of one kind at a vendor, and that apply the vendor's changes to
 * our records.
 */
export interface RecordKind<State = unknown> {
  write(step: Step, operation: StartedOperation): Promise<WriteOutcome<State>>;
  /**
   * Marks our record as accepted by the vendor, so that nothing writes it again. Called in the
   * transaction that stores a successful write.
   */
  storeAcceptance(
    tx: Transaction,
    operation: StartedOperation,
    accepted: AcceptedWrite<State>,
  ): void | Promise<void>;
  /**
   * `buildSuccess` builds the commands after a successful write, and `buildFailure` builds the
   * commands after the worker gave up.
   */
  buildSuccess(operation: StartedOperation, accepted: AcceptedWrite<State>): StepCommand[];
  buildFailure(operation: StartedOperation, failure: WriteFailure): StepCommand[];
  pull(step: Step, from: PullStart): Promise<Page<State>>;
  /**
   * Reads the records that the items of webhooks named. A kind omits this function if webhooks only
   * say that a stream has changes.
   */
  readNamed?(step: Step, hints: readonly string[]): Promise<Change<State>[]>;
  /**
   * Returns the id under which a record that was made at the vendor is stored; undefined if it is
   * none of ours. A kind omits this function if all its records are made here.
   *
   * The versions of such a kind have no sequence. A change counts as new if its version differs.
   */
  adopt?(change: Change<State>): string | undefined;
  /**
   * Finds the changes that cannot be applied yet, because the record that they refer to is not
   * stored yet. They are read again later.
   */
  findEarly?(
    tx: Transaction,
    connection: Step['connection'],
    changes: readonly Change<State>[],
  ): Promise<Change<State>[]>;
  /**
   * Builds the commands for the vendor's changes. These commands may run before the commands of an
   * earlier step. The records must end in the same state in either sequence.
   */
  buildChanges(changes: readonly KnownChange<State>[]): StepCommand[];
}
