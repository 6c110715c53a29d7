import type { Config } from '../../shared/config/config.js';
import type { Lifecycle } from '../../shared/platform/lifecycle.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { Database } from '../../shared/platform/postgres/database.js';
import type { CommandOutput, OutputEntry } from './output.js';

export interface CommandArgs {
  values: Record<string, string | boolean | undefined>;
  positionals: string[];
}

/** Settings are read and connections are opened only when the command calls `config` or `store`. */
export interface CommandContext {
  logger: Logger;
  lifecycle: Lifecycle;
  /** @throws {CliError} `configuration`, naming every wrong setting */
  config: () => Config;
  /** The owner role's connection string, and a pool whose sessions use the application's role. */
  store: () => Promise<{ databaseUrl: string; db: Database }>;
  /** Prints an entry on standard output before the command's result. */
  printEntry: (line: OutputEntry) => void;
  /** Prints a status text for people on standard error. */
  printStatus: (text: string) => void;
  /**
   * Replaces or erases the text of its previous call. Prints only if standard error is a terminal.
   */
  replaceStatus: (text: string) => void;
  /**
   * Returns a signal that SIGINT and SIGTERM abort. A command that calls this must end by itself
   * when the signal is aborted. Its exit code is then 0 unless it fails.
   */
  getInterruptSignal: () => AbortSignal;
}

export type RunCommand = (args: CommandArgs, context: CommandContext) => Promise<CommandOutput>;
