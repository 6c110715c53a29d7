import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import type { Interval } from '../../queues/clock.js';

/**
 * A sweep that finds due records of all accounts and submits a command for each. The writes workers
 * then change the records, because only commands may change data.
 */
export interface CommandSweep extends Interval {
  /** @param limit maximum number of commands, shared round-robin between the accounts */
  find: (tx: Transaction, limit: number) => Promise<Command[]>;
  /** Maximum number of commands in one pass, if it differs from the clock's default. */
  limit?: number;
}

/**
 * A sweep that changes rows of all accounts directly. It needs no commands, because clients do not
 * see these changes.
 */
export interface RowSweep extends Interval {
  /** @returns how many rows it changed */
  changeRows: (tx: Transaction, limit: number) => Promise<number>;
  /** Maximum number of rows in one transaction. */
  limit: number;
  /**
   * Maximum time in ms for which one pass repeats. The pass repeats for accounts in which it
   * changed `limit` rows, because more rows may be left there. Keep the time short, because the
   * clock's other schedules wait. By default, a pass does not repeat.
   */
  repeatForMs?: number;
}
