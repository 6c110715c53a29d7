import type { Config } from '../../shared/config/config.js';
import type { Lifecycle } from '../../shared/platform/lifecycle.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { Database } from '../../shared/platform/postgres/database.js';
import type { CommandOutput, OutputEntry } from './output.js';

export interface CommandArgs {
  values: Record<string, string | boolean | undefined>;
  positionals: string[];
}

/**
 * The functions and objects that a command can use. Calling `config` or `store` reads the settings.
 * Calling `store` also finds or starts PostgreSQL.
 */
export interface CommandContext {
  logger: Logger;
  lifecycle: Lifecycle;
  /** @throws {CliError} `configuration`, naming every wrong setting */
  config: () => Config;
  /**
   * Returns the owner role's connection string, and a pool whose sessions use the application's
   * role.
   */
  store: () => Promise<{ databaseUrl: string; db: Database }>;
  /** Prints an entry on standard output before the command's result. */
  printEntry: (line: OutputEntry) => void;
  /** Prints a status text for people on standard error. */
  printStatus: (text: string) => void;
  /**
   * Overwrites the status text of the previous call; an empty text erases it. Prints only if
   * standard error is a terminal.
   */
  replaceStatus: (text: string) => void;
  /**
   * Returns a signal that is aborted on SIGINT or SIGTERM. A command that calls this function must
   * end by itself after the abort. The process then exits with 0 unless the command fails.
   */
  getInterruptSignal: () => AbortSignal;
}

export type RunCommand = (args: CommandArgs, context: CommandContext) => Promise<CommandOutput>;
