import type { Config } from '../../shared/platform/config.js';
import type { Lifecycle } from '../../shared/platform/lifecycle.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { Database } from '../../shared/platform/postgres.js';
import type { CommandOutput, Line } from './output.js';

/** The parsed command line of one command. */
export interface CommandArgs {
  values: Record<string, string | boolean | undefined>;
  positionals: string[];
}

/** What a command stands on. Nothing is read or opened before it is asked for. */
export interface CommandContext {
  logger: Logger;
  lifecycle: Lifecycle;
  /** @throws {CliError} `configuration` naming every fault of the environment */
  config: () => Config;
  /** Connection string of the owner role, and sessions in the application's role. */
  store: () => Promise<{ databaseUrl: string; db: Database }>;
  /** Prints a line before the command's answer. */
  say: (line: Line) => void;
  /** Tells a person how it goes, on standard error. */
  notice: (text: string) => void;
  /** Writes over what it wrote before, on standard error when that is a terminal; elsewhere nothing. An empty text takes it away. */
  rewrite: (text: string) => void;
  /** Aborted by SIGINT and SIGTERM; who has asked for it ends by itself, and with 0 unless something else is wrong. */
  interruption: () => AbortSignal;
}

export type RunCommand = (args: CommandArgs, context: CommandContext) => Promise<CommandOutput>;
