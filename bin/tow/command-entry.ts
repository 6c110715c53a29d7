import type { ParseArgsConfig } from 'node:util';
import type { RunCommand } from '../cli/command.js';

export interface CommandEntry {
  name: string;
  usage: string;
  summary: string;
  options: NonNullable<ParseArgsConfig['options']>;
  required: readonly string[];
  /** If true, only the command itself writes to standard output. */
  ownsStdout?: boolean;
  /** Number of positional arguments. */
  positionals: number;
  /**
   * Imports the command's module. Called only when the command runs, so that `tow help` loads no
   * drivers.
   */
  load: () => Promise<RunCommand>;
}
