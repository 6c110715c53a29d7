import type { Change, Page, PullStart, Written } from '../../../shared/integrations/contract/connection.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import type { ExternalId } from '../../../shared/sync/external-ids.js';
import type { NamedItem } from '../../../shared/sync/notice-rows.js';
import type { StartedOperation } from '../../../shared/sync/operation-rows.js';
import type { Compared } from '../differences/difference-issues.js';
import type { Step, StepCommand } from '../vendor/step.js';

/**
 * A write that the vendor accepted. `state` is the record in the vendor's response, if the kind
 * needs it.
 */
export interface AcceptedWrite<State = unknown> {
  written: Written;
  state?: State;
}

/** The reason why the worker gave up a write. The account sees `reason`. */
export interface WriteFailure {
  reason: string;
  /** The vendor's error code, or `cancelled`. */
  code: string;
  /**
   * True if an earlier attempt got no usable response, so the vendor may have executed the write.
   */
  mayHaveArrived: boolean;
}

/** The result of a write to which the vendor returned no error. */
export type WriteOutcome<State = unknown> =
  | AcceptedWrite<State>
  /**
   * The worker must no longer write the record, for the reason `cancelled`. `mayHaveArrived` is
   * true if an earlier attempt may have written the record. `code` is set if the kind handles this
   * failure specially.
   */
  | { cancelled: string; mayHaveArrived: boolean; code?: string }
  /**
   * A limit of this service postpones the write, or the write waits for another record. The worker
   * did not call the vendor.
   */
  | { postponedMs: number; reason: string };

/** A change at the vendor, with the id of the stored record. */
export interface KnownChange<State> {
  change: Change<State>;
  id: ExternalId;
}

/**
 * The functions for one kind of records. They write records at a vendor, and apply the vendor's
 * changes to the stored records.
 */
export interface RecordKind<State = unknown> {
  /**
   * True if one step may write several records of this kind at the same time, because no write
   * depends on another.
   */
  isWrittenTogether?: true;
  /**
   * True if webhooks name only records that were written before. While the response of a write is
   * not stored, its record may be unknown here, so the worker reads an unknown one again later.
   */
  isKnownOnceWritten?: true;
  write(step: Step, operation: StartedOperation): Promise<WriteOutcome<State>>;
  /**
   * Marks the stored record as accepted by the vendor, so that no later attempt writes it again.
   * Called in the transaction that stores a successful write.
   */
  storeAcceptance(
    tx: Transaction,
    operation: StartedOperation,
    accepted: AcceptedWrite<State>,
  ): void | Promise<void>;
  /** Compares a successful write with what is stored here. */
  compareWritten?(
    tx: Transaction,
    step: Step,
    written: { operation: StartedOperation; accepted: AcceptedWrite<State> },
  ): Promise<Compared>;
  /**
   * `buildSuccess` builds the commands after a successful write. `buildFailure` builds the commands
   * after the worker gave up a write.
   */
  buildSuccess(operation: StartedOperation, accepted: AcceptedWrite<State>): StepCommand[];
  buildFailure(operation: StartedOperation, failure: WriteFailure): StepCommand[];
  pull(step: Step, from: PullStart): Promise<Page<State>>;
  /**
   * Translates the item of a webhook that contains the state of its record. Returns undefined if
   * the record must be read at the vendor.
   */
  translate?(step: Step, item: NamedItem): Change<State> | undefined;
  /**
   * Reads the records that items of webhooks name. A kind omits this function if its webhooks only
   * report that a stream has changes.
   */
  readNamed?(step: Step, hints: readonly string[]): Promise<Change<State>[]>;
  /**
   * Returns the id under which to store a record that was created at the vendor. Returns undefined
   * for a record of another program. A kind omits this function if all its records are created
   * here.
   *
   * If a kind has this function, the versions of its records have no sequence. A change then counts
   * as new if its version differs.
   */
  adopt?(change: Change<State>): string | undefined;
  /**
   * Finds the changes that refer to a record that is not stored yet. These changes cannot be
   * applied now, so the worker reads them again later.
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
  buildChanges(changes: readonly KnownChange<State>[], step: Pick<Step, 'vendor'>): StepCommand[];
  /**
   * Stores changes that need no command, at the end of the transaction that stores their versions.
   * Returns true if there are such changes.
   */
  storeAtCommit?(tx: Transaction, changes: readonly KnownChange<State>[]): boolean;
  /**
   * Compares changes with our records, and builds the commands that open or close the issues about
   * differences. Called in the transaction that stores the changes.
   */
  compare?(tx: Transaction, step: Step, changes: readonly KnownChange<State>[]): Promise<Compared>;
  /**
   * Returns the hint with which `readNamed` reads a change again. Left out if that is the vendor's
   * id of the change.
   */
  toHint?(externalId: string): string;
}
