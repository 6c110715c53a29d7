import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import type { Interval } from '../../queues/clock.js';

/**
 * A sweep that finds due records of all accounts and submits a command for each. The writes workers
 * then change the records, because all changes of data are commands.
 */
export interface CommandSweep extends Interval {
  /** @param limit maximum number of commands, shared round-robin between the accounts */
  find: (tx: Transaction, limit: number) => Promise<Command[]>;
  /** The limit, if it differs from the default of the clock. */
  limit?: number;
}

/** A sweep that changes rows of all accounts itself, because no client sees the change. */
export interface RowSweep extends Interval {
  /** @returns how many rows it changed */
  changeRows: (tx: Transaction, limit: number) => Promise<number>;
  /** Maximum number of rows in one transaction. */
  limit: number;
}
